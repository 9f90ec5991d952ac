/** Programs that show, search and change text and files. Data only. */
import { awkOnlyPrints, awkVariable } from '../readOnly/awk.ts';
import { commands, type ReadOnlyCommand } from '../readOnly/commands.ts';
import { jqSeesInput } from '../readOnly/jq.ts';
import { searchOptions } from '../readOnly/search.ts';
import { onlyPrints as sedOnlyPrints } from '../readOnly/sed.ts';
import type { KnownOptions } from './knownOptions.ts';
import { long, type ProgramRow, type Risks } from './programRow.ts';
import type { OptionList } from './readOptions.ts';

/** The options with which a command is read-only, plus others that are harmless if a rule names the program. */
function readOnlyOptions(name: string, more: OptionList = {}): KnownOptions {
  const { only, ...own }: Partial<ReadOnlyCommand> = commands[name] ?? {};
  return {
    ...own,
    ...(only && { operand: only }),
    flags: (own.flags ?? '') + (more.flags ?? ''),
    values: (own.values ?? '') + (more.values ?? ''),
    long: [...(own.long ?? []), ...(more.long ?? [])],
    longValues: [...(own.longValues ?? []), ...(more.longValues ?? [])],
  };
}

const nothing = /(?!)/;

/** Functions of yq that access nothing but their input: mikefarah.gitbook.io/yq/operators. */
const yqFunctions = new Set(
  'select map map_values keys length sort sort_by sort_keys has to_entries from_entries with_entries with del delpaths unique unique_by group_by join split test match capture sub contains any all any_c all_c first flatten reverse not and or true false null if then else elif end reduce as ref each tag type kind style anchor alias explode path paths getpath setpath pick omit pivot min max add to_string to_number tojson fromjson to_json from_json to_yaml from_yaml to_props to_csv to_tsv to_xml upcase downcase ascii_upcase ascii_downcase trim ltrimstr rtrimstr startswith endswith inside empty recurse values arrays objects strings numbers range limit documentIndex document_index di file_index fi line column comments line_comment head_comment foot_comment shuffle array_to_map parent parents root key now with_dtf format_datetime from_unix to_unix tz d s r y json yaml props csv tsv base64 base64d uri urid sh error'.split(
    ' ',
  ),
);

const yqSeesInput = (filter: string): boolean => {
  const bare = filter.replace(/"(?:[^"\\(]|\\[^(])*"/g, '""').replace(/[.$][A-Za-z_][\w-]*/g, '');
  return (
    !bare.includes('\\(') && [...bare.matchAll(/[A-Za-z_]\w*/g)].every(([name]) => yqFunctions.has(name))
  );
};

/** Words that make up `find` expressions: find(1) of GNU and BSD. */
const findTests =
  /^-(?:empty|not|o|or|a|and|prune|print|print0|ls|depth|d|mount|xdev|x|daystart|readable|writable|executable|true|false|quit|noleaf|nouser|nogroup|warn|nowarn|ignore_readdir_race|noignore_readdir_race|P|E|X|s)$/;

const findValued =
  /^-(?:i?name|i?path|i?wholename|i?lname|i?regex|regextype|type|xtype|maxdepth|mindepth|size|[amcB]time|[amcB]min|perm|user|group|uid|gid|links|inum|newer|anewer|cnewer|newer[aBcm][aBcmt]|samefile|fstype|used|flags|printf|context)$/;

const findRisks: Risks = {
  style: 'single',
  runs: '-exec -execdir -ok -okdir -x -X --exec --exec-batch -xx',
  writes: '-delete -fprint -fprint0 -fprintf -fls',
  elsewhere: '-files0-from -follow -L -H --follow --base-directory --search-path',
};

const rgRisks: Risks = {
  style: 'gnu',
  runs: '--pre --pre-glob --hostname-bin --search-zip -z --pager --filter --ackrc --env',
  values: 'eABCgtTmMjEd',
  elsewhere: '--follow -L --file -f --ignore-file --files-from',
};

const jqRisks: Risks = {
  style: 'gnu',
  runs: '-L -f --from-file --library-path',
  writes: '-i --inplace --in-place --split-exp -s',
  elsewhere: '--slurpfile --rawfile --argfile',
  words: /\benv\b|\$ENV|\binput_filename\b|\bimport\b|\binclude\b|\bload\b/,
};

const lessRisks: Risks = {
  style: 'gnu',
  runs: '-P --pager -H --html -k --lesskey-file --lesskey-src --lesskey-content -K -C --config-file --preprocessor -p -T -t --troff-device --ditroff -X --gxditview --recode',
  writes: '-o -O --log-file --LOG-FILE --output',
  words: /^\+/,
};

const uniqRisks: Risks = {
  style: 'gnu',
  writes: '-o --output',
  elsewhere: '--files0-from -X --exclude-from --random-source',
};

const diffRisks: Risks = {
  style: 'gnu',
  runs: '--diff-program --pager --paging --features --config',
  writes: '-o --output -r --reject-file -B --prefix -Y --basename-prefix -z --suffix --pager',
  elsewhere: '-d --directory -X --exclude-from --from-file --to-file -i --input',
};

const psRisks: Risks = {
  style: 'gnu',
  // Letters without a dash that contain an e show the environment.
  words: /^[a-zA-Z]*e[a-zA-Z]*$/,
  writes: '-D',
};

export const textPrograms: readonly ProgramRow[] = [
  {
    programs: 'find gfind',
    manual: 'find(1)',
    ...findRisks,
    known: {
      isSingle: true,
      options: findTests,
      valued: findValued,
      runsUntil: /^-(?:exec|execdir|ok|okdir)$/,
    },
  },
  {
    programs: 'fd fdfind',
    manual: 'fd(1)',
    ...findRisks,
    known: {
      ...searchOptions.fd,
      long: [
        ...(searchOptions.fd.long ?? []),
        ...long('prune strip-cwd-prefix one-file-system hyperlink no-follow'),
      ],
    },
  },
  {
    programs: 'rg',
    manual: 'rg(1)',
    ...rgRisks,
    known: {
      ...searchOptions.rg,
      long: [
        ...(searchOptions.rg.long ?? []),
        ...long(`auto-hybrid-regex stop-on-nonmatch no-ignore-dot no-ignore-parent no-ignore-global no-ignore-exclude
        no-mmap mmap include-zero multiline-dotall no-pcre2 no-stats no-trim no-unicode pcre2-version`),
      ],
      longValues: [...(searchOptions.rg.longValues ?? []), ...long('type-add type-clear')],
    },
  },
  {
    programs: 'ag',
    manual: 'ag(1)',
    ...rgRisks,
    known: {
      ...searchOptions.ag,
    },
  },
  {
    programs: 'ack ugrep',
    manual: 'rg(1), ag(1), ack(1)',
    ...rgRisks,
  },
  {
    programs: 'grep egrep fgrep zgrep ggrep',
    manual: 'grep(1)',
    style: 'gnu',
    values: 'eABCmD',
    elsewhere: '-R -f --dereference-recursive --file --exclude-from',
    known: {
      ...searchOptions.grep,
    },
  },
  {
    programs: 'sort',
    manual: 'sort(1)',
    style: 'gnu',
    values: 'ktS',
    runs: '--compress-program',
    writes: '-o --output -T --temporary-directory',
    elsewhere: '--files0-from --random-source',
    known: {
      ...readOnlyOptions('sort', {
        flags: 'cCm',
        values: 'S',
        long: long(`ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting
        month-sort random-sort check merge stable zero-terminated debug`),
        longValues: long('buffer-size parallel batch-size sort'),
      }),
    },
  },
  {
    programs: 'sed gsed',
    manual: 'sed(1)',
    style: 'gnu',
    runs: '-f --file',
    writes: '-i --in-place -I',
    // The commands `e` and `w`, and the flags `e` and `w` of `s`, run and write.
    words: { test: sedActs },
    known: {
      flags: 'nErsuz',
      values: 'e',
      long: long('quiet silent regexp-extended separate unbuffered null-data posix debug sandbox'),
      longValues: long('expression'),
      isFirst: true,
      // In BSD sed the word after `-i` is a file extension, and the next one the script.
      script: { options: ['-e', '--expression'], isHarmless: sedOnlyPrints, precededBy: /^$/ },
    },
  },
  {
    programs: 'awk gawk mawk nawk original-awk',
    manual: 'awk(1), gawk(1)',
    style: 'gnu',
    runs: '-f --file -E --exec -l --load -i --include -D --debug',
    writes: '-o --pretty-print -p --profile -d --dump-variables',
    words: /\bsystem\b|\||\bgetline\b|>|\bENVIRON\b|@(?:load|include|\w+\s*\()|\bclose\b/,
    known: {
      values: 'Fv',
      longAttached: long('field-separator assign'),
      checks: { '-v': awkVariable, '--assign': awkVariable },
      isFirst: true,
      script: { options: [], isHarmless: awkOnlyPrints },
    },
  },
  {
    programs: 'jq',
    manual: 'jq(1)',
    ...jqRisks,
    known: {
      flags: 'CMRSacejnrs',
      long: long(`ascii-output color-output compact-output exit-status join-output monochrome-output null-input
      raw-input raw-output raw-output0 seq slurp sort-keys tab unbuffered stream stream-errors args jsonargs version help`),
      longValues: long('indent'),
      paired: long('arg argjson'),
      script: { options: [], isHarmless: jqSeesInput },
    },
  },
  {
    programs: 'yq',
    manual: 'mikefarah.gitbook.io/yq, kislyuk.github.io/yq',
    ...jqRisks,
    known: {
      // There are two programs of this name; the other one passes its filter on to jq.
      flags: 'CMNPejnrv0',
      values: 'opI',
      long: long('colors no-colors no-doc prettyPrint exit-status tojson null-input unwrapScalar verbose'),
      longValues: long('output-format input-format indent'),
      script: {
        options: [],
        isHarmless: (text) => yqSeesInput(text) && jqSeesInput(text),
        precededBy: /^(?:e|ea|eval|eval-all)$/,
      },
    },
  },
  {
    programs: 'xq',
    manual: 'jq(1)',
    ...jqRisks,
  },
  {
    programs: 'xmllint',
    manual: 'xmllint(1)',
    // Entities, DTDs, inclusions and schemas read any file, or a URL.
    known: {
      isSingle: true,
      options:
        /^--?(?:noout|format|recover|nonet|html|nodefdtd|noblanks|nocompact|nocdata|nowarning|nodict|nsclean|c14n|c14n11|exc-c14n|canonical|timing|quiet|version|help)$/,
      valued: /^--?(?:xpath|encode)$/,
      // A colon begins a URL.
      operand: /^[^:]*$/,
    },
  },
  {
    programs: 'install ln',
    manual: 'install(1), ln(1)',
    style: 'gnu',
    runs: '--strip-program',
    elsewhere: '-t --target-directory --suffix -S',
  },
  {
    programs: 'chmod chown chgrp truncate rm rmdir shred unlink',
    manual: 'chmod(1), truncate(1), rm(1)',
    style: 'gnu',
    elsewhere: '--reference --no-preserve-root --files0-from -Z --context',
  },
  {
    programs: 'tree',
    manual: 'tree(1)',
    style: 'gnu',
    runs: '-R',
    writes: '-o --output',
    elsewhere: '-l --fromfile --infofile --gitfile --fromtabfile',
    known: {
      ...readOnlyOptions('tree', {
        long: long('sort du si filesfirst matchdirs ignore-case metafirst inodes device charset'),
      }),
    },
  },
  {
    programs: 'date',
    manual: 'date(1)',
    style: 'gnu',
    writes: '-s --set',
    elsewhere: '-f --file -r --reference',
    known: {
      ...readOnlyOptions('date', { long: long('rfc-email rfc-2822 universal debug resolution') }),
    },
  },
  {
    programs: 'less more most',
    manual: 'less(1), more(1)',
    ...lessRisks,
    known: {
      flags: 'eEfFgGiIJmMnNqQrRsSuUwW',
      values: 'hjyz',
      // In `-j5kx` the k takes x as the file that defines keys, and the programs they start.
      isSpaced: true,
      numbers: true,
      long: long(`LINE-NUMBERS quit-if-one-screen chop-long-lines RAW-CONTROL-CHARS no-init ignore-case IGNORE-CASE
      squeeze-blank-lines quiet silent version`),
      operand: /^[^+]/,
    },
  },
  {
    programs: 'man',
    manual: 'man(1)',
    ...lessRisks,
    known: {
      flags: 'kfwa',
      long: long('whatis apropos where path all version'),
      // Neither a file nor an option of the pager.
      operand: /^[\w.:@[][\w.:+@[-]*$/,
    },
  },
  {
    programs: 'info',
    manual: 'less(1), man(1)',
    ...lessRisks,
  },
  {
    programs: 'vim vi nvim view ex ed red emacs nano pico micro hx joe dc sftp ftp telnet crontab at',
    manual: 'the manual of each: commands are read from words, files and the input',
    style: 'gnu',
    runs: '-c -S -s -u -U -i -W -w -e -E -l -f -o -D --cmd --eval --load --batch --execute --funcall --script --rcfile',
    words: /^\+/,
    known: {
      operand: nothing,
    },
  },
  {
    programs: 'tee',
    manual: 'tee(1)',
    known: {
      flags: 'aip',
      long: long('append ignore-interrupts output-error version help'),
      writesTo: (operands) => operands.map((_, index) => index),
    },
  },
  {
    programs: 'dd',
    manual: 'dd(1)',
    known: {
      operand:
        /^(?:if|of|bs|ibs|obs|count|skip|seek|iseek|oseek|conv|status|iflag|oflag|cbs)=|^--(?:help|version)$/,
      writesTo: (operands) => operands.flatMap((word, index) => (word.startsWith('of=') ? [index] : [])),
    },
  },
  {
    programs: 'split csplit',
    manual: 'split(1), csplit(1)',
    style: 'gnu',
    runs: '--filter',
  },
  {
    programs: 'uniq',
    manual: 'uniq(1)',
    ...uniqRisks,
    known: {
      ...readOnlyOptions('uniq', {
        long: long('ignore-case zero-terminated all-repeated group'),
        longValues: long('skip-fields skip-chars check-chars'),
      }),
    },
  },
  {
    programs: 'column nl tac rev fold expand unexpand pr fmt cut paste join comm base64 shuf wc du',
    manual: 'the manual of each',
    ...uniqRisks,
  },
  {
    programs: 'diff',
    manual: 'diff(1)',
    ...diffRisks,
    known: {
      ...readOnlyOptions('diff', {
        flags: 'ediTtlB',
        values: 'FSI',
        long: long(`minimal ignore-case ignore-blank-lines ignore-space-change ignore-trailing-space text normal context
        expand-tabs initial-tab left-column show-c-function strip-trailing-cr speed-large-files no-dereference ed rcs`),
        longValues: long('width tabsize show-function-line ignore-matching-lines'),
      }),
    },
  },
  {
    programs: 'cmp sdiff diff3 patch colordiff delta difft',
    manual: 'diff(1), patch(1)',
    ...diffRisks,
  },
  {
    programs: 'ps',
    manual: 'ps(1)',
    ...psRisks,
    known: {
      // Without x, T, L and H: together with -e they show the environment. Without -e they are read-only and need no
      // rule.
      flags: 'AadefFjlNwycMm',
      values: 'oOpCuUtgGs',
      long: long('forest headers no-headers cols columns rows width deselect'),
      longValues: long('sort format pid ppid user'),
      // A cluster without a dash that contains an e shows the environment.
      operand: /^(?:[adflruwxjTLhHcg]+|\d[\d,]*)$/,
      checks: Object.fromEntries(['-o', '-O', '--format'].map((name) => [name, /^(?!.*environ)/is])),
    },
  },
  {
    programs: 'top htop',
    manual: 'top(1)',
    ...psRisks,
    known: {
      flags: 'bciSHI1',
      values: 'ndpuUo',
    },
  },
  {
    programs: 'lsof',
    manual: 'ps(1), lsof(8)',
    ...psRisks,
  },
  {
    programs: 'file',
    manual: 'file(1)',
    known: {
      ...readOnlyOptions('file', {
        flags: 'Nnpr0E',
        long: long('no-buffer no-pad preserve-date raw print0 keep-going no-dereference extension apple'),
      }),
    },
  },
  {
    programs: 'strings',
    manual: 'strings(1)',
    known: {
      ...readOnlyOptions('strings', { long: long('all') }),
    },
  },
  {
    programs: 'xxd',
    manual: 'xxd(1)',
    known: {
      ...readOnlyOptions('xxd'),
    },
  },
  {
    programs: 'iconv',
    manual: 'iconv(1)',
    known: {
      ...readOnlyOptions('iconv', { longValues: long('from-code to-code') }),
    },
  },
  {
    programs: 'hexdump hd',
    manual: 'hexdump(1)',
    known: {
      ...readOnlyOptions('hexdump'),
    },
  },
  {
    programs: 'hostname',
    manual: 'hostname(1)',
    known: {
      ...readOnlyOptions('hostname'),
    },
  },
  {
    programs: 'bat batcat',
    manual: 'bat(1)',
    known: {
      flags: 'pnAuPfS',
      values: 'lrHm',
      long: long(`plain number show-all unbuffered paging color decorations wrap style theme tabs italic-text squeeze-blank
      no-paging chop-long-lines force-colorization list-languages list-themes diff version`),
      longValues: long('language line-range highlight-line map-syntax file-name terminal-width'),
    },
  },
  {
    programs: 'fzf sk',
    manual: 'fzf(1)',
    known: {
      flags: 'eix0m1',
      values: 'qfndNt',
      long: long('exact no-sort tac multi select-1 exit-0 read0 print0 ansi cycle reverse no-color version'),
      longValues: long('query filter nth with-nth delimiter tiebreak'),
      operand: nothing,
    },
  },
];

/**
 * True if a sed script may contain the commands `e` or `w`, or an `s` with such a flag. Reads each character once: a
 * script may be long.
 */
function sedActs(script: string): boolean {
  let startsCommand = true;
  // By delimiter: how many of the three of an `s` have been seen.
  const seen = new Map<string, number>();
  const flagged = endsInFlags(script);
  for (let at = 0; at < script.length; at += 1) {
    const char = script[at] ?? '';
    const next = script[at + 1] ?? ' ';
    if (startsCommand && /[eEwW]/.test(char) && /[\s;}]/.test(next)) return true;
    startsCommand = /[;{}\n\d$/!~]/.test(char) || (startsCommand && /\s/.test(char));
    const count = seen.get(char) ?? 0;
    if (count === 0 && script[at - 1] === 's') seen.set(char, 1);
    else if (count === 1) seen.set(char, 2);
    else if (count === 2 && flagged[at + 1] === true) return true;
  }
  return false;
}

/** For each index: whether flags that end in `e` or `w` begin there. */
function endsInFlags(script: string): readonly boolean[] {
  const found: boolean[] = [];
  for (let at = script.length - 1; at >= 0; at -= 1) {
    const char = script[at] ?? '';
    found[at] = /[ew]/.test(char) || (/[gpiImM\d]/.test(char) && found[at + 1] === true);
  }
  return found;
}
