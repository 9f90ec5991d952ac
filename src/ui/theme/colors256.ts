/** The fixed part of the 256 colours: a cube of six levels from 16 on, 24 greys from 232 on (xterm). */
const levels = [0, 95, 135, 175, 215, 255] as const;

export type Rgb = readonly [red: number, green: number, blue: number];

/** Parts from 0 to 255 of `#rrggbb`. */
export function rgbOf(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** What the terminal shows for one of the colours 16 to 255. */
export function rgbOf256(index: number): Rgb {
  if (index >= 232) {
    const grey = (index - 232) * 10 + 8;
    return [grey, grey, grey];
  }
  const level = (part: number): number => levels[part % 6] ?? 0;
  const at = index - 16;
  return [level(Math.floor(at / 36)), level(Math.floor(at / 6)), level(at)];
}

/** The nearest of them: the eye weighs green most, then blue, then red. */
export function nearest256(hex: string): number {
  const [red, green, blue] = rgbOf(hex);
  let nearest = 16;
  let least = Infinity;
  for (let index = 16; index < 256; index++) {
    const [r, g, b] = rgbOf256(index);
    const distance = 2 * (r - red) ** 2 + 4 * (g - green) ** 2 + 3 * (b - blue) ** 2;
    if (distance >= least) continue;
    least = distance;
    nearest = index;
  }
  return nearest;
}
