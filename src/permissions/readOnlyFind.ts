import type { ReadOnlyUse } from './readOnly.ts';

const alone =
  /^(?:-empty|-not|!|-o|-or|-a|-and|\(|\)|,|-prune|-print|-print0|-ls|-depth|-follow|-mount|-xdev|-daystart|-readable|-writable|-executable|-true|-false)$/;
const withValue =
  /^-(?:i?name|i?path|i?wholename|i?lname|i?regex|regextype|type|xtype|maxdepth|mindepth|size|[amc]time|[amc]min|perm|user|group|uid|gid|links|inum|newer|anewer|cnewer|newermt|printf)$/;

/** `find` without the actions that run, delete or write; it lists names and shows no content. */
export function findUse(args: readonly (string | null)[]): ReadOnlyUse | undefined {
  let at = 0;
  while (/^-[HLP]$/.test(args[at] ?? '')) at += 1;
  const names: (string | null)[] = [];
  for (; at < args.length; at += 1) {
    const word = args[at];
    if (word != null && /^[-!(]/.test(word)) break;
    names.push(word ?? null);
  }
  for (; at < args.length; at += 1) {
    const word = args[at];
    if (word == null) return undefined;
    if (withValue.test(word)) {
      at += 1;
      if (args[at] == null) return undefined;
    } else if (!alone.test(word)) return undefined;
  }
  return { contents: [], names };
}
