/** Archives, documents, images, keys. Data only. */
import { long, type ProgramRow, type Risks } from './programRow.ts';

const plainFile = /^[\w./ @%-]+$/;

const zipRisks: Risks = {
  style: 'gnu',
  runs: '-T --test -TT --unzip-command',
  elsewhere: '-d -b --temp-path -@',
};

const opensslRisks: Risks = {
  style: 'single',
  runs: '-engine -provider -config -provider-path -keyform --exec-path --homedir --options --photo-viewer --agent-program --load-extension --keyserver',
  writes: '-out -keyout -writerand --output -o -d --decrypt --export-secret-keys',
  elsewhere: '-in -inkey -CAfile -CApath',
};

export const archivePrograms: readonly ProgramRow[] = [
  {
    programs: 'tar gtar bsdtar',
    manual: 'tar(1)',
    style: 'gnu',
    values: 'fbgKLNV',
    bundled: true,
    runs: '--to-command --checkpoint-action --info-script --new-volume-script -F -I --use-compress-program --rmt-command --rsh-command --index-file',
    writes:
      '-x --extract --get --delete -r --append -A --catenate --concatenate --overwrite --one-top-level --transform --xform',
    elsewhere: '-C --directory -P --absolute-names -T --files-from -X --exclude-from -h --dereference',
    known: {
      flags: 'ctvzjJZapkmSOWl',
      values: 'fb',
      bundled: true,
      long: long(`create list verbose gzip bzip2 xz zstd lzma compress auto-compress exclude-vcs exclude-backups
      exclude-caches no-recursion numeric-owner totals wildcards no-wildcards anchored ignore-case preserve-permissions
      sparse verify to-stdout force-local posix show-defaults utc one-file-system same-order version help`),
      longValues: long('file exclude sort owner group mtime mode format blocking-factor label'),
      // An existing file is overwritten.
      places: { '-f': 'fresh', '--file': 'fresh' },
      // A colon means another machine, which is reached through a program.
      checks: { '-f': /^[^:@]+$/, '--file': /^[^:@]+$/ },
      operand: /^[^@]/,
    },
  },
  {
    programs: 'zip',
    manual: 'zip(1)',
    ...zipRisks,
    known: {
      flags: 'rqvjDlgeuyX0123456789',
      values: 'x',
      long: long('recurse-paths quiet verbose junk-paths no-dir-entries symlinks no-extra update'),
      writesTo: () => [0],
      operand: /^[^@]/,
    },
  },
  {
    programs: 'unzip zipinfo',
    manual: 'unzip(1)',
    ...zipRisks,
    known: {
      flags: 'lvtzqZp1',
      // After a separate dash a letter cancels an earlier one: `unzip -l -- -l x` unpacks.
      isEndless: true,
      // Otherwise it unpacks, under any names in the archive.
      needs: /^-[qzv1]*[lvtZp]/,
    },
  },
  {
    programs: '7z 7za 7zr 7zz',
    manual: '7-zip.org, 7z(1)',
    ...zipRisks,
    known: {
      isSingle: true,
      options: /^-(?:y|r|mx=?\d|t(?:7z|zip|gzip|bzip2|tar|xz)|bd|slt)$/,
      writesTo: ([command = '']) => (/^[au]$/.test(command) ? [1] : []),
      operandAt: (word, index) => (index === 0 ? /^[latuhib]$/.test(word) : !word.startsWith('@')),
    },
  },
  {
    programs: 'openssl',
    manual: 'openssl(1)',
    ...opensslRisks,
    known: {
      isSingle: true,
      long: long(`text noout dates startdate enddate subject issuer fingerprint serial hash modulus pubkey purpose ext
      sha1 sha256 sha384 sha512 md5 hex base64 d e a A showcerts brief tls1_2 tls1_3 verify_return_error help binary r check`),
      longValues: long('in inform connect servername checkend certopt nameopt'),
      operandAt: (word, index) =>
        index > 0 ||
        /^(?:version|x509|dgst|rand|s_client|verify|req|crl|asn1parse|ciphers|list|prime|base64|sha\d+|md5|rsa|pkey|ec)$/.test(
          word,
        ),
    },
  },
  {
    programs: 'gpg gpg2',
    manual: 'gpg(1)',
    ...opensslRisks,
    known: {
      flags: 'kKva',
      long: long(`list-keys list-secret-keys list-sigs list-signatures check-sigs fingerprint verify armor version with-colons
      list-packets print-mds`),
      longValues: long('keyid-format'),
      // Otherwise it may decrypt into a file.
      needs: /^(?:-[av]*[kK]|--(?:list|check|verify|fingerprint|version|print).*)$/,
    },
  },
  {
    programs: 'exiftool',
    manual: 'exiftool(1)',
    style: 'single',
    runs: '-@ -if -config -p -execute -stay_open -api -use -userparam -fileNUM',
    writes: '-o -out -w -W -textOut -csv -json -tagsfromfile -srcfile',
  },
  {
    programs: 'gzip bzip2 xz zstd lz4 zcat bzcat xzcat zstdcat',
    manual: 'gzip(1), xz(1), zstd(1)',
    known: {
      flags: 'cfklnqtv0123456789',
      options: /^-(?:dc|cd|dck|kdc)$/,
      long: long('stdout to-stdout force keep list quiet test verbose best fast'),
      numbers: true,
    },
  },
  {
    programs: 'gunzip bunzip2 unxz unzstd',
    manual: 'gzip(1), xz(1), zstd(1)',
    known: {
      flags: 'cfklqtv',
      long: long('stdout to-stdout keep list quiet test verbose'),
      // Otherwise the name of the archive, or one inside it, determines the file that is written.
      needs: /^(?:-[fkqv]*[clt]|--(?:stdout|to-stdout|list|test))/,
    },
  },
  {
    programs: 'ffprobe',
    manual: 'ffprobe(1)',
    known: {
      isSingle: true,
      long: long(
        'show_format show_streams show_entries hide_banner pretty version show_packets show_frames count_frames',
      ),
      longValues: long('v loglevel of print_format select_streams i show_entries'),
      operand: plainFile,
    },
  },
  {
    programs: 'ffmpeg',
    manual: 'ffmpeg(1)',
    known: {
      isSingle: true,
      options: /^-(?:y|n|an|vn|sn|hide_banner|nostdin|shortest|version|formats|codecs)$/,
      valued:
        /^-(?:i|ss|t|to|r|s|b:[av]|c(?::[avs])?|vcodec|acodec|crf|preset|pix_fmt|ar|ac|loglevel|v|threads|frames:v|q:v)$/,
      // Names with a colon are protocols, and a percent sign stands for many files.
      checks: { '-i': /^[\w./ @-]+$/ },
      // `.ts` is a video format as well as a source.
      operand:
        /^[\w./ @-]+\.(?:mp[34]|m4[av]|wav|aac|og[gav]|opus|flac|webm|mkv|mov|avi|gif|a?png|jpe?g|webp|bmp|tiff?|wmv|flv|mpe?g|3gp|aiff?|srt|vtt|ass)$/i,
    },
  },
  {
    programs: 'convert magick identify mogrify compare montage composite',
    manual: 'imagemagick.org/script/command-line-options.php',
    known: {
      isSingle: true,
      options:
        /^[-+](?:strip|flip|flop|negate|normalize|auto-orient|monochrome|trim|repage|verbose|version|append)$/,
      valued:
        /^-(?:resize|quality|crop|rotate|geometry|density|depth|colors|alpha|background|gravity|extent|thumbnail|scale|sample|format|colorspace|type|blur|sharpen)$/,
      // A colon selects another format, `@` a file with names in it, and other formats may be scripts.
      operand: /^[\w./ -]+\.(?:png|jpe?g|gif|webp|tiff?|bmp|ico|avif|heic)$/i,
    },
  },
  {
    programs: 'pandoc',
    manual: 'pandoc.org/MANUAL.html',
    known: {
      flags: 'sNpv',
      values: 'ftrwMV',
      long: long(`standalone number-sections toc table-of-contents wrap columns strip-comments version list-input-formats
      list-output-formats citeproc mathjax katex mathml section-divs incremental no-highlight`),
      longValues: long(
        'from to read write metadata toc-depth shift-heading-level-by highlight-style id-prefix',
      ),
      // Formats may be scripts.
      checks: Object.fromEntries(
        ['-f', '-t', '-r', '-w', '--from', '--to', '--read', '--write'].map((name) => [name, /^[\w+-]+$/]),
      ),
    },
  },
  {
    programs: 'dot neato fdp circo twopi sfdp',
    manual: 'dot(1)',
    known: {
      options: /^-(?:T\w+(?::\w+)*|[GNE]\w+=[\w.,#]*|V|\?|q|v|n\d*)$/,
    },
  },
  {
    programs: 'pdflatex xelatex lualatex latex tex pdftex',
    manual: 'pdftex(1)',
    known: {
      isSingle: true,
      options:
        /^--?(?:interaction=\w+|halt-on-error|file-line-error|draftmode|no-shell-escape|synctex=-?\d|version|help)$/,
      // An operand that begins with a backslash is TeX code.
      operand: /^[\w./-]+$/,
    },
  },
];
