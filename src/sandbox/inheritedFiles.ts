/** What the program that started this one left open: a folder among it leads past every mount of a sandbox. */
import { closeSync, readFileSync } from 'node:fs';
import { namesIn } from '../disk/fileLookups.ts';

const FLAGS = /^flags:\s*([0-7]+)$/m;
/** As in fcntl.h, on every machine that Linux runs Node on. Everything that Node opens itself has it. */
const CLOSE_ON_EXEC = 0o2000000;

/**
 * Closes the descriptors that a command would inherit, but for the standard ones. Node keeps only the lowest of them to
 * itself (libuv: uv_disable_stdio_inheritance stops at a gap); on macOS it starts programs without any (posix_spawn
 * with POSIX_SPAWN_CLOEXEC_DEFAULT). Linux only; elsewhere it does nothing.
 */
export function closeInheritedFiles(): void {
  for (const descriptor of namesIn('/proc/self/fd').map(Number))
    if (isInherited(descriptor)) close(descriptor);
}

function isInherited(descriptor: number): boolean {
  if (!(descriptor > 2)) return false;
  try {
    const flags = FLAGS.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // It was the one that the folder was read with.
    return false;
  }
}

function close(descriptor: number): void {
  try {
    closeSync(descriptor);
  } catch {
    // Somebody else has closed it.
  }
}
