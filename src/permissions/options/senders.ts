/**
 * Programs that send, store or print everything in a folder without naming its files: contexts of image builds,
 * deployments, uploads, backups. Data, with its lookup. Source: the manual of each program.
 */
import { programName } from './programTable.ts';

interface Sender {
  readonly programs: string;
  /** Matches one of its words if it sends a folder; absent: any call does. */
  readonly words?: RegExp;
  /** Another word must match too. */
  readonly also?: RegExp;
  /** Without a folder among its words, it uses the current one. */
  readonly takesCurrent?: true;
}

const senders: readonly Sender[] = [
  // Copies to other machines and into containers.
  { programs: 'gsutil s3cmd s5cmd azcopy mc rclone croc wormhole kopia bup tarsnap duplicacy' },
  { programs: 'aws gcloud az', words: /^(?:s3|storage|scp|upload-batch)$/ },
  { programs: 'docker podman nerdctl lxc incus', words: /^(?:cp|push|file)$/ },
  { programs: 'kubectl oc', words: /^(?:cp|rsync)$/ },
  { programs: 'vagrant multipass limactl', words: /^(?:upload|transfer|copy|cp|rsync|mount)$/ },
  { programs: 'lftp smbclient', words: /mirror|\bput\b|recurse/ },
  { programs: 'ipfs oras', words: /^(?:add|push|attach)$/ },
  // Image builds.
  { programs: 'docker podman nerdctl', words: /^(?:build|import)$/ },
  {
    programs: 'docker podman nerdctl',
    words: /^(?:compose|buildx)$/,
    also: /^(?:build|watch|--build|bake)$/,
    takesCurrent: true,
  },
  { programs: 'docker-compose podman-compose', words: /^(?:build|--build|watch)$/, takesCurrent: true },
  { programs: 'buildah', words: /^(?:bud|build|build-using-dockerfile|add|copy)$/ },
  {
    programs: 'buildctl pack nixpacks s2i ko earthly skaffold tilt',
    words: /^(?:build|run|dev|up|ci|\+.*)$/,
    takesCurrent: true,
  },
  // Configuration made from files, whose values `-o yaml` or an error prints: kubectl-create, kubectl-apply.
  { programs: 'kubectl oc', words: /^--from-(?:file|env-file|dir)(?:=|$)|^(?:-[fk]|--filename|--kustomize)/ },
  { programs: 'kustomize', words: /^build$/, takesCurrent: true },
  { programs: 'helm', words: /^(?:package|template|install|upgrade)$/ },
  // Deployments and packages.
  { programs: 'gcloud az', words: /^(?:deploy|submit|up|publish)$/, takesCurrent: true },
  { programs: 'aws', words: /^(?:deploy|package)$/ },
  { programs: 'vercel now surge', takesCurrent: true },
  {
    programs:
      'netlify flyctl fly railway firebase wrangler serverless sls sst amplify eb cdk sam pulumi cf exp eas modal supabase doctl zappa deployctl clever balena',
    words: /^(?:deploy|up|push|publish|upload|release)$/,
    takesCurrent: true,
  },
  { programs: 'npm pnpm yarn bun jsr cargo vsce', words: /^(?:publish|pack|package)$/, takesCurrent: true },
  { programs: 'asar', words: /^p(?:ack)?$/ },
  { programs: 'hf huggingface-cli', words: /^upload/, takesCurrent: true },
  { programs: 'kaggle wandb dvc', words: /^(?:create|version|put|push|add)$/, takesCurrent: true },
  // Servers of files.
  {
    programs:
      'serve http-server live-server servor sirv httpd darkhttpd webfsd miniserve simple-http-server updog dufs',
    takesCurrent: true,
  },
  { programs: 'php', words: /^-S/, takesCurrent: true },
  { programs: 'ruby', words: /^-run$/, also: /^httpd$/, takesCurrent: true },
  { programs: 'caddy', words: /^file-server$/, takesCurrent: true },
  { programs: 'twist twistd', words: /^web$/, takesCurrent: true },
  { programs: 'deno', words: /\bfile[-_]server\b/, takesCurrent: true },
  // Pickers that show the files they find.
  { programs: 'fzf sk', words: /^--(?:preview|bind|cmd)|^-c/, takesCurrent: true },
  // Tools that pack a folder for a model.
  { programs: 'repomix code2prompt files-to-prompt gitingest yek', takesCurrent: true },
];

/** How a call sends a folder; undefined if it does not. */
export function senderOf(argv: readonly (string | null)[]): Pick<Sender, 'takesCurrent'> | undefined {
  const name = programName(argv[0]);
  const rows = senders.filter(
    ({ programs, words, also }) =>
      programs.split(' ').includes(name) &&
      [words, also].every((one) => one === undefined || argv.some((word) => one.test(word ?? ''))),
  );
  return rows.find(({ takesCurrent }) => takesCurrent === true) ?? rows[0];
}
