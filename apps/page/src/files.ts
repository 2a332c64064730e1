// Files in and out: what is dropped or opened becomes text, what is saved becomes a download.

export const kMostBytes = 256 * 2 ** 20;

export function save(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export const json = (text: string): Blob => new Blob([text], { type: "application/json" });

// A name that every file system takes.
export function fileName(parts: string[], extension: string): string {
  const name = parts
    .join("-")
    .replace(/[^\p{L}\p{N}._-]+/gu, "-")
    .replace(/-+/g, "-")
    .replace(/^[-.]+|[-.]+$/g, "")
    .slice(0, 80);
  return `${name || "worktop"}.${extension}`;
}

export function pickFile(took: (file: File) => void): void {
  const input = document.createElement("input");
  input.type = "file";
  input.accept = ".json,.txt,application/json";
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    if (file) took(file);
  });
  input.click();
}

// The whole window takes a drop; `over` says when a file hovers above it.
export function onDrop(took: (files: File[]) => void, over: (on: boolean) => void): void {
  let depth = 0;
  const has = (event: DragEvent) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  window.addEventListener("dragenter", (event) => {
    if (has(event)) {
      ++depth;
      over(true);
      event.preventDefault();
    }
  });
  window.addEventListener("dragover", (event) => {
    if (has(event)) event.preventDefault();
  });
  window.addEventListener("dragleave", (event) => {
    if (has(event) && --depth <= 0) {
      depth = 0;
      over(false);
    }
  });
  window.addEventListener("drop", (event) => {
    if (!has(event)) return;
    event.preventDefault();
    depth = 0;
    over(false);
    took([...(event.dataTransfer?.files ?? [])]);
  });
}
