/** Formats numbers for people. Pure; the clock is an argument. */
import { localDay } from '../../protocol/text/localTime.ts';
import { scaled } from '../../protocol/text/numbers.ts';

/** Formats a size: `512 B`, `4.2 kB`, `1.3 MB`. */
export function formatBytes(bytes: number): string {
  return scaled(bytes, [' B', ' kB', ' MB', ' GB', ' TB']);
}

/** Formats a duration: `0.4s`, `12s`, `1m 05s`, `2h 03m`. */
export function formatDuration(ms: number): string {
  if (ms < 9_950) return `${(Math.max(0, ms) / 1000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${two(seconds % 60)}s`;
  return `${Math.floor(seconds / 3600)}h ${two(Math.floor((seconds % 3600) / 60))}m`;
}

/** Formats US dollars: `$0.0042` below ten cents, `$1.23` otherwise. */
export function formatCost(usd: number): string {
  if (usd === 0) return '$0.00';
  if (usd < 0.0001) return '<$0.0001';
  return `$${usd.toFixed(usd < 0.1 ? 4 : 2)}`;
}

/** Formats an age: `just now`, `5 min ago`, `3 h ago`, `yesterday`, `4 days ago`, then the date. */
export function formatAge(then: Date, now: Date): string {
  const ms = now.getTime() - then.getTime();
  if (Number.isNaN(ms)) return 'unknown';
  if (ms < 60_000) return 'just now';
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ago`;
  const days = Math.round((startOfDay(now) - startOfDay(then)) / 86_400_000);
  if (days <= 0 || ms < 6 * 3_600_000) return `${Math.floor(ms / 3_600_000)} h ago`;
  if (days === 1) return 'yesterday';
  if (days < 7) return `${days} days ago`;
  return localDay(then);
}

function two(number: number): string {
  return number.toString().padStart(2, '0');
}

function startOfDay(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}
