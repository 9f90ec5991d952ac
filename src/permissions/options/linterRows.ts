/** Linters with complete lists of options. */
import { long, type ProgramRow } from './programRow.ts';

const biomeRow: ProgramRow = {
  programs: 'biome',
  manual: 'biomejs.dev/reference/cli',
  writes: '--reporter-file --log-file --log-path',
  elsewhere: '--vcs-root --config-path',
  known: {
    flags: 'hV',
    long: long(`assist-enabled changed enforce-assist error-on-warnings fix format-with-errors formatter-enabled help
      linter-enabled no-errors-on-unmatched profile-rules skip-parse-errors staged suppress unsafe verbose version write`),
    longValues:
      long(`arrow-parentheses attribute-position bracket-same-line bracket-spacing colors config-path
      diagnostic-level expand files-ignore-unknown files-max-size indent-style indent-width jsx-quote-style line-ending
      line-width log-kind log-level max-diagnostics only quote-properties reason reporter semicolons since skip
      stdin-file-path threads trailing-commas trailing-newline use-editorconfig vcs-client-kind vcs-default-branch
      vcs-enabled vcs-use-ignore-file`),
    options:
      /^--(?:css|graphql|grit|html|javascript|json|jsx)-(?:assist|everywhere|formatter|linter|parse)(?:-[a-z-]+)?=\w+$/,
    places: { '--config-path': 'input' },
    // The value of `--since` becomes a word of git.
    value: /^[^-]/,
    // The others start or stop a server, replace the program, or rewrite the configuration.
    operandAt: (word, index) => index > 0 || /^(?:check|ci|explain|format|lint|rage|version)$/.test(word),
  },
};

const shellcheckRow: ProgramRow = {
  programs: 'shellcheck',
  manual: 'shellcheck(1)',
  style: 'gnu',
  // These show lines of the files that a script sources, wherever they are.
  elsewhere: '-x --external-sources -a --check-sourced -P --source-path --rcfile',
  known: {
    flags: 'V',
    values: 'ieosSfW',
    attached: 'C',
    attachedForm: /^(?:auto|always|never)?$/,
    long: long('help list-optional norc version'),
    longValues: long('enable exclude format include severity shell wiki-link-count'),
    longAttached: ['--color'],
  },
};

export const linterPrograms: readonly ProgramRow[] = [biomeRow, shellcheckRow];
