/** Decides which files that a command names are its output or data, so that a change in them runs nothing new. */
import { basename, resolve } from 'node:path';

/** True for a file that the command itself writes, such as its log, or only reads as data. */
export function isOutput(path: string, command: string, root: string): boolean {
  const name = basename(path);
  const isData = data.test(path) || (notes.test(path) && isShown(name, command));
  if (isData && !isRun(name, command)) return true;
  const written = command.matchAll(/(?:>[>|]?|\btee\s+(?:-a\s+|--append\s+)?)\s*["']?([^\s"'`;&|<>()]+)/g);
  const names = [...written].map(([, target = '']) =>
    target.replace(/^\$\{?(?:CLAUDE|CLAWDCODE)_PROJECT_DIR\}?\//, ''),
  );
  return names.some((target) => resolve(root, target) === path);
}

/** Files that change all the time, or whose change runs nothing: databases, logs. */
const data = /\.(?:log|jsonl|db|sqlite3?|duckdb|csv|tsv|parquet|pid)$/i;
/** Text that a program might also run, or take instructions from. */
const notes = /\.(?:lock|md|txt)$/i;

/** True if the parts of a command that name a file only print it, or give it to a script of the project. */
function isShown(name: string, command: string): boolean {
  const parts = command.split(/[;&|\n]+/).filter((part) => part.includes(name));
  return !intoProgram.test(command) && parts.every((part) => printing.test(part) && !part.includes('<'));
}

const intoProgram = /\|\s*(?:\S*\/)?(?:(?:ba|da|z|k|fi)?sh|xargs|sudo|env|node|bun|python[\d.]*|perl|ruby)\b/;
const printing =
  /^\s*(?:(?:cat|head|tail|grep|rg|wc|jq|less|echo|printf|test|\[|ls|stat|sort|uniq|cut|tr)\s|"?\$\{?CLA\w+_PROJECT_DIR|\.{0,2}\/)/;

/** True if a command runs the file of this name: at the beginning of a part, or by an interpreter. */
function isRun(name: string, command: string): boolean {
  const parts = command.split(name).slice(0, -1);
  return parts.some((before) => runs.test(before.replace(/[\w./${}~"'-]*$/, '')));
}

const runs =
  /(?:^|[;&|(]|(?:^|[\s;&|(/])(?:(?:ba|da|z|k|fi)?sh|node|bun|deno|tsx|python[\d.]*|perl|ruby|php|lua|source|exec|env|\.)(?:\s+-\S+)*)\s*$/;
