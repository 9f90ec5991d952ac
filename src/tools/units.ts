/** `812 bytes`, `1.2 kB`, `3.4 MB`, `1.0 GB`; powers of 1,000. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = bytes / 1000;
  let index = 0;
  while (value >= 999.95 && index < units.length - 1) {
    value /= 1000;
    index += 1;
  }
  return `${value.toFixed(1)} ${units[index]}`;
}

/** `0.3 s`, `12.4 s`, `3 m 05 s`. */
export function formatDuration(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} m ${String(whole % 60).padStart(2, '0')} s`;
}
