/** Local dates and times in numbers. */

/** `2026-11-21`. */
export function localDay(date: Date): string {
  return [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
}

/** `14:03`. */
export function localTime(date: Date): string {
  return `${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** `2026-11-21T14:03:07+01:00`. */
export function localIso(date: Date): string {
  const minutes = -date.getTimezoneOffset();
  const offset = `${two(Math.trunc(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
  return `${localDay(date)}T${localTime(date)}:${two(date.getSeconds())}${minutes < 0 ? '-' : '+'}${offset}`;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
