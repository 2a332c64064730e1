// The engine in node, as the page's worker has it: what it writes to stderr is progress.
export async function startEngine(bytes, onProgress = () => {}) {
  let memory;
  const decoder = new TextDecoder();
  const wasi = {
    fd_write(_file, vectors, count, written) {
      const view = new DataView(memory.buffer);
      let total = 0;
      for (let i = 0; i < count; ++i) {
        const at = view.getUint32(vectors + 8 * i, true), size = view.getUint32(vectors + 8 * i + 4, true);
        onProgress(decoder.decode(new Uint8Array(memory.buffer, at, size)));
        total += size;
      }
      view.setUint32(written, total, true);
      return 0;
    },
    proc_exit(code) { throw new Error(`the engine ended with ${code}`); },
  };
  const module = await WebAssembly.compile(bytes);
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] = wasi[name] ?? (() => 8);
  const { exports } = await WebAssembly.instantiate(module, imports);
  memory = exports.memory;
  exports._initialize?.();
  return {
    ask(question) {
      const text = new TextEncoder().encode(question), at = exports.question(text.length);
      new Uint8Array(memory.buffer, at, text.length).set(text);
      const size = exports.answer();
      return decoder.decode(new Uint8Array(memory.buffer, exports.answer_at(), size));
    },
  };
}
