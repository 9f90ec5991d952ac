/** Programs that connect to other machines and to databases. Data only. */
import { long, type ProgramRow, type Risks } from './programRow.ts';

const address =
  /^(?:https?:\/\/)?(?:[\w.~%-]+(?::[^@/]*)?@)?(?:[\w.-]+|\[[\da-f:]+\])(?::\d+)?(?:[/?#].*)?$/i;

const cookies = { '-b': /^[^=@/]+=/, '--cookie': /^[^=@/]+=/ };

/** A form field that is sent verbatim: `@` and `<` name files, and more may follow a semicolon. */
const field = /^[\w.[\]-]+=(?![@<])[^;]*$/;

const fields = { '-F': field, '--form': field };

const machine = /^(?:ssh:\/\/)?(?:[\w.-]+@)?[\w.:[\]-]+$/;

/** This machine, or one with a plain name in its own network (`db`): data sent to such a database stays there. */
const nearHost = /^(?:[A-Za-z][\w-]*|127(?:\.\d{1,3}){3}|::1|\[::1\]|\/[\w./-]*)$/;
const nearDatabase =
  /^(?:[\w.-]*|(?:postgres(?:ql)?|rediss?):\/\/(?:[\w.-]*(?::[^@/?#]*)?@)?(?:[A-Za-z][\w-]*|127(?:\.\d{1,3}){3}|\[::1\])?(?::\d+)?(?:\/[\w.-]*)?)$/;

const printed = /^(?:-|\/dev\/null)$/;

/** Dot commands that show what exists: sqlite.org/cli.html. Names may be abbreviated, so these are entire words. */
const dotCommands =
  /^\.(?:tables?|schema|indexes|indices|databases|fullschema|headers? (?:on|off)|mode \w+|nullvalue \S*|separator \S+|show|stats|timer (?:on|off)|width [\d ]+|dump|changes (?:on|off)|eqp (?:on|off)|help|quit|exit)(?: [\w%]+)*$/;

/** Functions and statements that open other files or load code: sqlite.org/cli.html, sqlite.org/lang.html. */
const reachingSql =
  /\b(?:attach|vacuum|load_extension|writefile|readfile|edit|fts3_tokenizer|fsdir|zipfile|sqlar_\w+|temp_store_directory|data_store_directory|csv|virtual)\b/i;

/**
 * Statements that stay in the database: they do not run programs, load code or open files on the server's machine.
 * Sources: postgresql.org/docs/current/sql-commands.html, functions-admin.html; dev.mysql.com/doc/refman, "SQL
 * Statements".
 */
const plainSql =
  /^\s*(?:select|with|values|table|show|explain|desc|describe|insert|update|delete|analyze|begin|commit|rollback|(?:create|drop|alter) (?:table|index|view|schema)|truncate)\s+\S|^\s*(?:begin|commit|rollback)\s*$/i;

const reachingSqlServer =
  /\b(?:pg_(?:read|ls|stat_file|logdir|write|file|reload|terminate|cancel|rotate|switch|promote|current_logfile|hba|ident)\w*|lo_\w+|dblink\w*|\w*_to_xml\w*|copy|program|load|load_file|outfile|dumpfile|system|language|extension|server|wrapper|sys_exec|sys_eval|do|execute|prepare|call|handler|delimiter|source)\b/i;

function isPlainSql(text: string): boolean {
  const statements = text.replace(/;\s*$/, '').split(';');
  return (
    !/[\\\n]/.test(text) && statements.every((one) => plainSql.test(one)) && !reachingSqlServer.test(text)
  );
}

/** The same, or a psql command that describes what exists. */
function isOwnSql(text: string): boolean {
  return /^\\(?:d\w*\+?|l\+?|conninfo|dt\+?)(?: [\w.*]+)?$/.test(text) || isPlainSql(text);
}

const wgetRisks: Risks = {
  style: 'gnu',
  runs: '-e --execute --config --use-askpass --on-download-complete --on-download-start --hook --conf-path --ca-certificate --certificate --private-key --proxy --session',
  writes:
    '-o --output-file -O --output-document -P --directory-prefix -a --append-output --save-cookies --warc-file --warc-dedup -d --dir --out -r --recursive -m --mirror -N --hsts-file -x --force-directories -nd -p',
  elsewhere: '-i --input-file --post-file --body-file --load-cookies -F --force-html -B --base',
};

const sshRisks: Risks = {
  style: 'gnu',
  runs: '-o -F -J -S -E -w -L -R -D -I -i -A -X -Y -W -l -b -B -c',
  words: /^-?oProxyCommand|^--(?:ssh|server|client)(?:=|$)/i,
};

const rsyncRisks: Risks = {
  style: 'gnu',
  runs: '-e --rsh --rsync-path --early-input --remote-option -M --daemon --config --password-command --password-file',
  writes:
    '--log-file --write-batch --only-write-batch --backup-dir --temp-dir -T --partial-dir --delete --remove-source-files --del --compare-dest --copy-dest --link-dest',
  elsewhere:
    '--files-from --include-from --exclude-from -L --copy-links --copy-unsafe-links -K --filter -f --merge',
};

const sqlite3Risks: Risks = {
  style: 'single',
  runs: '-c --command -f --file -cmd -init -e --execute --eval -x --pipe -o --output -L --log-file -v --set --defaults-file --defaults-extra-file --init-command --tee --pager --plugin-dir -A --load --interactive',
  words:
    /\\!|\\copy|\\o|\\w|\.(?:shell|system|output|once|load|import|read|save|backup|open|excel|log|cd)\b|readfile|writefile|load_extension|edit\(|into\s+(?:out|dump)file|load_file|copy\s.*program/i,
};

const noFile = Object.fromEntries(
  ['-d', '--data', '--data-binary', '--json', '-H', '--header'].map((option) => [option, /^(?!@)/s]),
);

export const networkPrograms: readonly ProgramRow[] = [
  {
    programs: 'curl',
    manual: 'curl(1)',
    style: 'gnu',
    values: 'HXAdeumrUYytwzC',
    runs: '-K --config --engine --netrc-file --proxy --preproxy -x --unix-socket --abstract-unix-socket --doh-url --resolve --connect-to -E --cert --key --next -: --url-query --variable --libcurl',
    writes:
      '-o --output -O --remote-name --remote-name-all -J --remote-header-name --output-dir -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --etag-save --hsts --alt-svc --create-dirs --ssl-sessions --remove-on-error',
    elsewhere: '-T --upload-file -n --netrc --netrc-optional -b --cookie -F --form',
    known: {
      flags: 'sSfLiIvkgGN46#',
      values: 'XHdAemuryYwobF',
      long: long(`silent show-error fail fail-with-body location head include verbose insecure globoff get no-buffer ipv4
      ipv6 compressed http1.1 http2 http1.0 progress-bar no-progress-meter tcp-nodelay tlsv1.2 tlsv1.3 retry-connrefused
      retry-all-errors version raw styled-output parallel path-as-is`),
      longValues:
        long(`request header data data-raw data-binary data-urlencode json user-agent referer max-time user
      connect-timeout retry retry-delay retry-max-time range write-out max-redirs max-filesize limit-rate output url cookie form form-string`),
      harmlessWith: { '-o': printed, '--output': printed },
      checks: {
        // `%output{file}` writes to another file, and `@file` is read.
        '-w': /^(?!@)(?!.*%output)/s,
        '--write-out': /^(?!@)(?!.*%output)/s,
        '--url': address,
        // `@file` sends the content of a file, or reads headers from it.
        ...noFile,
        '--data-urlencode': /^(?:[^@]*$|[^@]*=)/s,
        // Without an equals sign it is a file.
        ...cookies,
        ...fields,
      },
      operand: address,
    },
  },
  {
    programs: 'wget',
    manual: 'wget(1)',
    ...wgetRisks,
    known: {
      flags: 'qvScd46',
      values: 'OtTwU',
      long: long(`quiet verbose no-verbose server-response spider no-check-certificate no-proxy no-cache inet4-only
      inet6-only show-progress no-hsts https-only`),
      longValues: long(
        'tries timeout wait user-agent output-document max-redirect method header post-data body-data',
      ),
      harmlessWith: { '-O': printed, '--output-document': printed },
      operand: address,
      // Otherwise the URL determines the file that is written.
      needs: /^(?:--spider|-[qvScd46]*O(?:-|\/dev\/null)?|--output-document.*)$/,
    },
  },
  {
    programs: 'http https xh',
    manual: 'httpie.io/docs/cli',
    ...wgetRisks,
    known: {
      flags: 'vhbjfpI',
      values: 'a',
      long: long('verbose headers body json form pretty print follow check-status ignore-stdin timeout'),
      operand: /^(?!.*@)/,
    },
  },
  {
    programs: 'aria2c',
    manual: 'wget(1), aria2c(1), httpie.io/docs/cli',
    ...wgetRisks,
  },
  {
    programs: 'ssh',
    manual: 'ssh(1)',
    ...sshRisks,
    known: {
      flags: 'vqTtnNaxkC46',
      values: 'plb',
      operandAt: (word, index) => index > 0 || machine.test(word),
      ownWords: 2,
    },
  },
  {
    programs: 'scp',
    manual: 'scp(1)',
    ...sshRisks,
    known: {
      flags: 'rpqvC346B',
      values: 'Pl',
    },
  },
  {
    programs: 'sshfs mosh',
    manual: 'ssh(1), ssh_config(5)',
    ...sshRisks,
  },
  {
    programs: 'rsync',
    manual: 'rsync(1)',
    ...rsyncRisks,
    known: {
      flags: 'avzrhnqPcutlpgoDHxSiWAXOJ',
      long: long(`archive verbose compress recursive human-readable dry-run quiet progress stats checksum update times
      links perms group owner devices specials hard-links one-file-system itemize-changes list-only whole-file existing
      ignore-existing size-only numeric-ids partial prune-empty-dirs omit-dir-times safe-links info`),
      longValues: long('exclude include bwlimit timeout port chmod max-size min-size'),
    },
  },
  {
    programs: 'rclone',
    manual: 'rsync(1)',
    ...rsyncRisks,
  },
  {
    programs: 'sqlite3',
    manual: 'sqlite.org/cli.html',
    ...sqlite3Risks,
    known: {
      isSingle: true,
      long: long(
        'header noheader csv json line column list box table markdown html tabs ascii quote readonly batch bail safe version stats echo',
      ),
      longValues: long('separator nullvalue newline'),
      // Views and triggers of a database may call edit(), which starts a program: sqlite.org/security.html.
      acts: {
        operands: /^(?!\.(?:tables?|schema|indexes|indices|databases|mode|headers?|help|show)\b)/,
        stoppedBy: /^--?safe$/,
      },
      operandAt: (word, index) =>
        index === 0
          ? !/^file:|\|/i.test(word)
          : word.startsWith('.')
            ? dotCommands.test(word)
            : !reachingSql.test(word),
    },
  },
  {
    programs: 'psql',
    manual: 'psql(1)',
    ...sqlite3Risks,
    known: {
      flags: 'AlnqtwWxXVE1abS',
      values: 'cdhpUFR',
      long: long(
        'list no-psqlrc csv no-align tuples-only quiet expanded version no-password single-transaction',
      ),
      longValues: long('command dbname host port username'),
      checks: {
        '-R': /^[^/]*$/,
        '-c': { test: isOwnSql },
        '--command': { test: isOwnSql },
        '-h': nearHost,
        '--host': nearHost,
        // A URL, or connection settings, may name any host.
        '-d': nearDatabase,
        '--dbname': nearDatabase,
      },
      operand: nearDatabase,
    },
  },
  {
    programs: 'mysql mariadb',
    manual: 'mysql(1)',
    ...sqlite3Risks,
    known: {
      flags: 'ABNEHtsvVwXCr',
      values: 'ehuPDS',
      attached: 'p',
      attachedForm: /^/,
      // A server may request files of the client: dev.mysql.com/doc/refman, "LOAD DATA LOCAL".
      checks: {
        '-e': { test: isPlainSql },
        '--execute': { test: isPlainSql },
        '-h': nearHost,
        '--host': nearHost,
      },
      long: long('batch table vertical silent skip-column-names html xml version compress'),
      longValues: long('execute host user port database'),
    },
  },
  {
    programs: 'redis-cli',
    manual: 'redis.io/docs/latest/develop/tools/cli',
    ...sqlite3Risks,
    known: {
      isSingle: true,
      long: long('raw no-raw csv json scan bigkeys stat latency version no-auth-warning verbose'),
      longValues: long('h p n a u r i pattern user pass'),
      checks: { '--h': nearHost, '--u': nearDatabase },
      operand:
        /^(?!(?:config|eval|eval_ro|evalsha|evalsha_ro|script|function|fcall|module|debug|slaveof|replicaof|migrate|restore|shutdown|flushall|flushdb|bgsave|save|bgrewriteaof|acl|cluster|failover|sync|psync)$)/i,
    },
  },
  {
    programs: 'mongosh',
    manual: 'sqlite3(1), psql(1), mysql(1)',
    ...sqlite3Risks,
  },
  {
    programs: 'dig drill kdig delv host nslookup',
    manual: 'dig(1)',
    style: 'gnu',
    elsewhere: '-f -k',
  },
  {
    programs: 'nmap',
    manual: 'nmap(1)',
    style: 'single',
    runs: '--script --script-args --script-args-file --datadir --servicedb --versiondb',
    writes: '-oN -oX -oA -oG -oS',
    elsewhere: '-iL --excludefile --resume --stylesheet',
  },
  {
    programs: 'tcpdump tshark ip',
    manual: 'tcpdump(1), nmap(1), ip(8)',
    style: 'gnu',
    runs: '-z -X -b --batch -batch -B -F',
    writes: '-w -o',
    elsewhere: '-r -V',
    words: /^(?:netns|exec)$|^-b/,
  },
];
