import { type CommandSpec, commandPaths, type FlagSpec, type Values } from './spec.ts';

/** Generates the completion script for fish (3.1 and later). */
export function fishCompletion(root: CommandSpec): string {
  const lines = commandPaths(root).flatMap(({ path, spec }) => [
    ...spec.subcommands.map(
      ({ name, description }) => `${begin(path, true)} -a ${quote(name)} -d ${quote(description)}`,
    ),
    ...spec.flags.flatMap((flag) => flagLines(path, flag)),
    ...argumentLines(path, spec.argument),
  ]);
  return `# fish completion for clawdcode: keep it as ~/.config/fish/completions/clawdcode.fish
#   clawdcode completion fish > ~/.config/fish/completions/clawdcode.fish

# True when exactly these words have been typed as subcommands; a subcommand has to be the first argument.
function __clawdcode_at
    set -l words (commandline -opc)
    set -e words[1]
    for word in $argv
        test "$words[1]" = "$word"; or return 1
        set -e words[1]
    end
    switch "$argv"
${commandPaths(root)
  .filter(({ spec }) => spec.subcommands.length > 0)
  .map(
    ({ path, spec }) => `        case ${quote(path.join(' '))}
            contains -- "$words[1]" ${spec.subcommands.map(({ name }) => name).join(' ')}; and return 1`,
  )
  .join('\n')}
    end
    return 0
end

# True if only these words have been typed.
function __clawdcode_only
    test (count (commandline -opc)) -eq (math 1 + (count $argv)); and __clawdcode_at $argv
end

# True directly after one of these flags.
function __clawdcode_after
    set -l words (commandline -opc)
    contains -- "$words[-1]" $argv
end

# True for a word that starts with this flag and a =.
function __clawdcode_joined
    string match -q -- "$argv[1]=*" (commandline -ct)
end

# Files only after a flag that takes one: prompts and sessions are not files.
complete -c clawdcode -f
${lines.join('\n')}
`;
}

function begin(path: readonly string[], isNext = false): string {
  const condition = [isNext ? '__clawdcode_only' : '__clawdcode_at', ...path].join(' ');
  return `complete -c clawdcode -n ${quote(condition)}`;
}

function flagLines(path: readonly string[], flag: FlagSpec): readonly string[] {
  const { names, description, values, isOptional } = flag;
  const flags = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const line = `${begin(path)} ${flags.join(' ')} -d ${quote(description)}`;
  if (values === undefined) return [line];
  // fish cannot declare an optional value, so it is offered as an argument directly after the flag, or after its `=`.
  if (isOptional)
    return [
      line,
      `complete -c clawdcode -n ${quote(`__clawdcode_after ${names.join(' ')}`)} -a ${quote(valueWords(values))}`,
      ...names
        .filter((name) => name.startsWith('--'))
        .map(
          (name) =>
            `complete -c clawdcode -n ${quote(`__clawdcode_joined ${name}`)} -a ${quote(`${name}=${valueWords(values)}`)}`,
        ),
    ];
  return [values.type === 'files' ? `${line} -rF` : `${line} -x -a ${quote(valueWords(values))}`];
}

function argumentLines(path: readonly string[], argument: Values | undefined): readonly string[] {
  if (argument === undefined || argument.type === 'anything') return [];
  if (argument.type === 'files') return [`${begin(path)} -F`];
  return [`${begin(path)} -a ${quote(valueWords(argument))}`];
}

function valueWords(values: Values): string {
  switch (values.type) {
    case 'choices':
      return values.words.join(' ');
    case 'sessions':
      return '(clawdcode completion sessions 2>/dev/null)';
    case 'directories':
      return "(__fish_complete_directories (string replace -r -- '^--[^=]*=' '' (commandline -ct)))";
    case 'files':
    case 'anything':
      return '';
  }
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
