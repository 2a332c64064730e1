// From a quantity to a pixel and back, and where the ticks go.

export interface Scale {
  from: number;
  to: number; // the domain
  low: number;
  high: number; // the pixels
  at(value: number): number;
  value(pixel: number): number;
  ticks(most: number): number[];
}

// The least of 1, 2, 2.5, 5 times a power of ten that gives at most `most` steps.
export function niceStep(span: number, most: number): number {
  if (!(span > 0)) return 1;
  const raw = span / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(raw));
  for (const factor of [1, 2, 2.5, 5, 10]) if (factor * power >= raw * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

export function linear(from: number, to: number, low: number, high: number): Scale {
  const span = to - from || 1;
  return {
    from,
    to,
    low,
    high,
    at: (value) => low + ((value - from) / span) * (high - low),
    value: (pixel) => from + ((pixel - low) / (high - low || 1)) * span,
    ticks(most) {
      const step = niceStep(Math.abs(to - from), most);
      const ticks: number[] = [];
      const first = Math.ceil(Math.min(from, to) / step - 1e-9);
      for (let i = first; i * step <= Math.max(from, to) + step * 1e-9; ++i) {
        ticks.push(Number((i * step).toPrecision(12)));
      }
      return ticks;
    },
  };
}

// Both ends above 0. Ticks at 1, 2 and 5 times powers of ten, or at the powers alone where that is too many.
export function logarithmic(from: number, to: number, low: number, high: number): Scale {
  const a = Math.log(from);
  const span = Math.log(to) - a || 1;
  return {
    from,
    to,
    low,
    high,
    at: (value) => low + ((Math.log(value) - a) / span) * (high - low),
    value: (pixel) => Math.exp(a + ((pixel - low) / (high - low || 1)) * span),
    ticks(most) {
      for (const factors of [[1, 2, 5], [1]]) {
        const ticks: number[] = [];
        for (let e = Math.floor(Math.log10(from)); e <= Math.ceil(Math.log10(to)); ++e) {
          for (const factor of factors) {
            const tick = Number((factor * 10 ** e).toPrecision(12));
            if (tick >= from * (1 - 1e-9) && tick <= to * (1 + 1e-9)) ticks.push(tick);
          }
        }
        if (ticks.length <= most || factors.length === 1) return ticks;
      }
      return [];
    },
  };
}

export const clamp = (x: number, low: number, high: number): number => Math.min(high, Math.max(low, x));
