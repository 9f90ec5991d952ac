/**
 * Which loopback ports the running sessions forward from their sandboxes, and which ones their settings need for services
 * of the user: a file for each session, in a folder that commands cannot see.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../../disk/fileLookups.ts';
import { isRunning } from '../../disk/isRunning.ts';
import { readList, writeList } from '../places/listNotes.ts';

/** The folder, in the data folder. */
export const portNotesFolder = (dataRoot: string): string => join(dataRoot, 'sandbox', 'ports');

interface PortNotes {
  /** Replaces what this session forwards and needs. Never throws. */
  write(ports: Readonly<Record<PortUse, Iterable<number>>>): void;
  close(): void;
}

type PortUse = 'forwards' | 'needs';

let lastSession = 0;

/** Opens the file of one session; it exists only while there is something to say. */
export function openPortNotes(folder: string): PortNotes {
  lastSession += 1;
  const file = join(folder, `${process.pid}-${lastSession}`);
  let written = '';
  return {
    write({ forwards, needs }) {
      const lines = [...linesOf('forwards', forwards), ...linesOf('needs', needs)];
      if (lines.join() === written) return;
      written = lines.join();
      if (lines.length === 0) rmSync(file, { force: true });
      else writeList(file, lines);
    },
    close: () => rmSync(file, { force: true }),
  };
}

/** The ports of all running sessions, this one included. Removes what killed sessions have left. Never throws. */
export function notedPorts(folder: string, use: PortUse): ReadonlySet<number> {
  const ports = new Set<number>();
  for (const name of namesIn(folder)) {
    const file = join(folder, name);
    if (!isRunning(Number.parseInt(name, 10))) rmSync(file, { force: true });
    else
      for (const line of readList(file)) {
        const [start, port] = line.split(' ');
        if (start === use) ports.add(Number(port));
      }
  }
  return ports;
}

const linesOf = (use: PortUse, ports: Iterable<number>): readonly string[] =>
  [...ports].map((port) => `${use} ${port}`);
