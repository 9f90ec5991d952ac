/** Local dates and times in numbers. */

/** `2026-11-21`. */
export function localDay(date: Date): string {
  return [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
}

/** `14:03`. */
export function localTime(date: Date): string {
  return `${two(date.getHours())}:${two(date.getMinutes())}`;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
