/** Version control, containers, clouds, the system, the shell itself, and programs that start others. Data only. */
import { jqSeesInput } from '../readOnly/jq.ts';
import { gitDiscards, gitHarmless } from './git/gitOptions.ts';
import type { ProgramRow } from './programRow.ts';

/** Subcommands of git 2.53 (`git help --all`), including those for scripts. */
const gitCommands =
  'add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore check-mailmap check-ref-format checkout checkout-index cherry cherry-pick clean clone column commit commit-graph commit-tree config count-objects credential daemon describe diff diff-files diff-index diff-tree difftool fast-export fast-import fetch filter-branch fmt-merge-msg for-each-ref for-each-repo format-patch fsck gc get-tar-commit-id grep hash-object help hook index-pack init instaweb interpret-trailers log ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge merge-base merge-file merge-index merge-tree mergetool mktag mktree multi-pack-index mv name-rev notes pack-objects pack-refs patch-id prune prune-packed pull push range-diff read-tree rebase reflog remote repack replace request-pull rerere reset restore rev-list rev-parse revert rm send-email shortlog show show-branch show-index show-ref sparse-checkout stage stash status stripspace submodule switch symbolic-ref tag unpack-objects update-index update-ref update-server-info var verify-commit verify-pack verify-tag version whatchanged worktree write-tree';

/**
 * The subcommands that a rule for git as a whole covers. Excludes those that run their arguments or configured programs
 * (`difftool`, `filter-branch`, `credential`, …), write files that they name (`bundle`, `merge-file`, `mailinfo`, …),
 * or put unreviewed content into the tree or into commits (`apply`, `am`, `update-index`, `fast-import`, …), which
 * other programs might run or read as settings.
 */
const gitCovered =
  'add annotate archive bisect blame branch cat-file check-attr check-ignore check-mailmap check-ref-format checkout cherry cherry-pick clean clone commit count-objects describe diff diff-files diff-index diff-tree fetch for-each-ref format-patch fsck gc get-tar-commit-id grep init log ls-files ls-remote ls-tree merge merge-base mv name-rev notes patch-id prune pull push range-diff rebase reflog remote repack rerere reset restore rev-list rev-parse revert rm shortlog show show-branch show-ref sparse-checkout stage stash status stripspace submodule switch symbolic-ref tag var verify-commit verify-tag version whatchanged worktree write-tree';

/** A URL from which a program fetches code or settings itself; excludes servers on this machine. */
const address =
  /^(?:-[^=]*=|-f)?(?:(?!https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/]|$))[a-z][a-z\d+.-]*:\/\/|[\w.-]+@[\w.-]+:|git@)/i;

export const systemPrograms: readonly ProgramRow[] = [
  {
    programs: 'git',
    manual: 'git(1) and the manual of each subcommand',
    global:
      '-c --config-env --exec-path -C --git-dir --work-tree --namespace --super-prefix --attr-source -p --paginate --list-cmds --glob-pathspecs --icase-pathspecs',
    runs: '--ext-diff --textconv --upload-pack --receive-pack --exec --open-files-in-pager --extcmd --template --config --filters --show-signature --edit-description --remote-submodules',
    writes:
      '--output --output-directory --separate-git-dir --ignore-revs-file --expire-to --filter-to --index-output --export-marks --import-marks --lost-found',
    // The last ones read the names of objects or files from standard input, or from a file.
    elsewhere:
      '--no-index --reference --server-option --contents --unsafe-paths --stdin --batch --batch-check --batch-command --pathspec-from-file',
    ofSubcommand: {
      archive: '-o --remote',
      bisect: 'run view visualize replay',
      clone: '-c -u',
      difftool: '-x -t --tool',
      mergetool: '-t --tool',
      'send-email': '--smtp-server --sendmail-cmd --to-cmd --cc-cmd --header-cmd',
      'format-patch': '-o',
      grep: '-O',
      // A note with the content of any file, which `git log` shows.
      notes: '-C -c --reuse-message --reedit-message',
      merge: '-s --strategy',
      pull: '-s --strategy',
      rebase: '-x -s --strategy',
      'cherry-pick': '--strategy',
      revert: '--strategy',
      submodule: 'add foreach update set-url absorbgitdirs sync init',
      // These set where later pushes and pulls go.
      remote: 'add set-url',
      push: '--repo',
      // Lists the settings, which may hold tokens.
      var: '-l',
    },
    optionsOf: gitHarmless,
    wordsOf: gitDiscards,
    values: 'X',
    allSubcommands: gitCommands,
    covered: gitCovered,
    words: /^[a-z][\w+-]*::/,
    // Sent content, and content that gets into the tree, must use the configured repositories.
    remotes: /^(?:push|pull|fetch)$/,
  },
  {
    programs: 'docker podman nerdctl',
    manual: 'docker(1), docs.docker.com/reference/cli/docker, docs.podman.io/en/latest/Commands.html',
    optionsOf: {
      images:
        '-a -f: -n -q --all --digests --filter: --format: --no-trunc --noheading --quiet --sort= --tree',
      logs: '-f -l -n= -t --color --details --follow --latest --names --no-color --since= --tail= --timestamps --until=',
      ps: '-a -f: -l -n= -p -q -s --all --external --filter: --format: --last= --latest --no-trunc --pod --quiet --size --sort= --sync',
    },
    runs: '-v -e -P --publish-all --use-api-socket --label-file --gpus --group-add --device-cgroup-rule --volume-driver --sysctl --link --rootfs --env-host --env-merge --hooks-dir --module --identity --storage-opt --storage-driver --root --runroot --imagestore --conmon --tmpdir --network-cmd-path --network-config-dir --volumepath --authfile --creds --decryption-key --runtime-flag --cdi-spec-dir --pod-id-file --pidfile --annotation --health-cmd --log-driver --log-opt --builder --policy --sbom --attest --push --squash --volume --volumes-from --mount --privileged --device --cap-add --security-opt --pid --ipc --network --net --userns --uts --cgroupns --cgroup-parent --entrypoint --env-file --add-host --runtime --build-context --secret --ssh --allow --file --env --project-directory --build-arg',
    // Without a value it takes that of the environment.
    takes: { '--build-arg': /^(?!BUILDKIT_SYNTAX)[A-Za-z]\w*=(?!.*:\/\/)/s },
    writes: '-o --output --iidfile --cidfile --metadata-file --export-cache --cache-to',
    elsewhere: '-H --host -c --context --config --tlscacert --tlscert --tlskey --connection --url --remote',
    subcommands:
      'run exec build buildx bake cp compose create start commit load import save export push login logout plugin swarm service stack secret config context volume attach rm rmi kill stop restart system prune up down container image network model mcp sandbox scout manifest trust unshare machine play kube generate farm auto-update artifact quadlet mount checkpoint restore import tag untag rename update builder',
    // Others are plugins.
    allSubcommands:
      'attach auto-update artifact bake build builder buildx checkpoint commit compose config container context cp create diff events exec export farm generate healthcheck history image images import info init inspect kill kube load login logout logs machine manifest mcp model mount network node pause play plugin pod port ps pull push quadlet rename restart restore rm rmi run sandbox save scout search secret service stack start stats stop swarm system tag top trust umount unmount unpause unshare untag update version volume wait',
    // Builds from elsewhere or from standard input; a front end is an image that runs the build.
    words:
      /^-$|^(?:-f|--file=)-$|BUILDKIT_SYNTAX|^github\.com\/|^git@|^(?:-[^=]*=|-f)?[a-z][a-z\d+.-]*:\/\//i,
  },
  {
    programs: 'docker-compose podman-compose',
    manual: 'docs.docker.com/reference/cli/docker/compose',
    global: '-f --file -p --project-name --project-directory --env-file --profile --workdir',
    runs: '-v --volume --volumes-from --entrypoint --privileged --cap-add --env-from-file --build-arg --ssh --secret --sbom --provenance --builder --push',
    writes: '-o --output --lock-image-digests',
    elsewhere: '-H --host -c --context --config --tlscacert --tlscert --tlskey',
    // `config` shows the content of `.env` files.
    subcommands:
      'run exec cp publish export commit alpha bridge attach push config convert viz transform gen',
    ofSubcommand: { down: '-v --volumes' },
    // Prints names, or nothing.
    spares: {
      word: /^config$/,
      call: /(?:^| )config(?=.* -)(?: (?:-q|--quiet|--services|--images|--volumes|--networks|--profiles|[A-Za-z\d][\w.-]*))+$/,
    },
    harmless: /^--build$/,
    takes: { '-f --file': 'input', '--build-arg': /^[A-Za-z]\w*=[\w.:-]*$/ },
  },
  {
    programs: 'kubectl oc',
    manual: 'kubernetes.io/docs/reference/kubectl',
    optionsOf: {
      describe:
        '-A -f: -l: -n= -R --all-namespaces --chunk-size= --filename: --namespace= --recursive --selector: --show-events',
      get: `-A -f: -L: -l: -n= -o: -R -w --all-namespaces --allow-missing-template-keys --chunk-size= --field-selector: --filename:
        --ignore-not-found --label-columns: --namespace= --no-headers --output: --output-watch-events --recursive --request-timeout=
        --selector: --server-print --show-kind --show-labels --show-managed-fields --sort-by: --subresource= --template: --watch
        --watch-only`,
      logs: '-c= -f -l: -n= -p --all-containers --all-pods --container= --follow --ignore-errors --limit-bytes= --max-log-requests= --namespace= --pod-running-timeout= --prefix --previous --selector: --since-time= --since= --tail= --timestamps',
    },
    runs: '--kubeconfig --plugin --exec-command --raw --kustomize -k --as --as-group --token --server -s --cluster --context --user --cache-dir --certificate-authority --client-key --client-certificate --insecure-skip-tls-verify --kuberc --username --password --tls-server-name --profile --log-file --log-dir --as-uid',
    writes: '--output-directory --profile-output',
    // One of the user's own clusters, for read-only subcommands.
    takes: { '--context --cluster --user': /^[\w.:@/-]+$/ },
    takesIn: /^(?:get|describe|logs|top|events|explain|api-resources|api-versions|version|cluster-info)$/,
    // Names and ages, no content.
    spares: {
      word: /^secrets?$/,
      call: /^(?:(?:-n|--namespace|--context)[ =][\w:@/][\w.:@/-]* )*get secrets?(?: (?:-A|-w|--all-namespaces|--no-headers|--show-labels|(?:-n|--namespace|-l|--selector|--context)[ =][\w][\w.:@/=,-]*|(?:-o |-o|--output[ =])(?:name|wide)|[A-Za-z\d][\w.-]*))*$/,
    },
    subcommands:
      'exec cp run apply create replace delete edit patch debug attach port-forward proxy config plugin scale autoscale drain cordon uncordon taint label annotate auth set rollout expose diff kustomize certificate alpha',
    // Manifests from elsewhere, or from standard input; secrets; formats in a file.
    words:
      /^-$|^(?:-f=?|--filename=)-$|^(?:-[^=]*=|-f)?[a-z][a-z\d+.-]*:\/\/|^(?:[\w.,]*,)?secrets?(?:[/,.]|$)|-file=/i,
    allSubcommands:
      'alpha annotate api-resources api-versions apply attach auth autoscale certificate cluster-info completion config cordon cp create debug delete describe diff drain edit events exec explain expose get kustomize label logs options patch plugin port-forward proxy replace rollout run scale set taint top uncordon version wait',
    passesOn: 'program',
  },
  {
    programs: 'helm',
    manual: 'helm.sh/docs/helm',
    runs: '--kubeconfig --post-renderer --post-renderer-args --kube-token --kube-apiserver --kube-context --kube-as-user --kube-ca-file --registry-config --repository-config --repository-cache --set-file --ca-file --cert-file --key-file --keyring --repo --kube-insecure-skip-tls-verify --insecure-skip-tls-verify --endpoint --dependency-update --content-cache',
    writes: '--output-dir --destination -d',
    words: address,
    // Values and manifests may contain secrets.
    ofSubcommand: { get: 'all hooks manifest values' },
    subcommands:
      'install upgrade uninstall rollback push pull repo registry plugin create package dependency dep test',
    allSubcommands:
      'completion create dependency dep env get history hist install lint list ls package plugin pull push registry repo rollback search show inspect status template test uninstall upgrade verify version help',
  },
  {
    programs: 'terraform tofu terragrunt',
    manual: 'developer.hashicorp.com/terraform/cli',
    style: 'single',
    runs: '-chdir -plugin-dir -var-file -backend-config -from-module --config --terragrunt-config --terragrunt-tfpath -tf-path -terragrunt-source -source -auth-provider-cmd -terragrunt-auth-provider-cmd -working-dir -terragrunt-working-dir -net-mirror -fs-mirror -cloud-run',
    writes: '-out -state -state-out -backup -generate-config-out -terragrunt-json-out -junit-xml',
    words: address,
    // Sensitive values are shown only by name, or in these formats.
    ofSubcommand: { show: '-json', providers: 'mirror' },
    spares: { word: /^output$/, call: /^output(?: -no-color)?$/ },
    takes: { '-var-file': 'input', '-out': 'output' },
    subcommands:
      'apply destroy import console output init state taint untaint force-unlock login logout workspace run-all exec run stacks rpcapi scaffold catalog backend aws-provider-patch stack graph refresh',
  },
  {
    programs: 'ansible ansible-playbook ansible-galaxy ansible-vault',
    manual: 'docs.ansible.com/ansible/latest/cli',
    style: 'gnu',
    runs: '-e -i -m -a -M -c -t -u --module-name --args --extra-vars --inventory --module-path --connection --become-method --private-key --key-file --ssh-common-args --ssh-extra-args --sftp-extra-args --scp-extra-args --vault-password-file --vault-id --playbook-dir --tree --task-timeout',
  },
  {
    programs: 'gh glab',
    manual: 'cli.github.com/manual',
    runs: '-R --repo --web -w --editor -e --clobber --hostname --input --recover --template -T --jq -q',
    // A filter may show the environment, and the token in it.
    takes: { '--jq -q': { test: jqSeesInput } },
    writes: '-O --output -D --dir',
    subcommands:
      'api auth alias extension config secret variable ssh-key gpg-key codespace preview copilot attestation',
    // An issue or request of another repository.
    words: /^(?:https?:\/\/|git@)/i,
    ofSubcommand: {
      repo: 'clone create delete fork rename sync edit archive set-default deploy-key autolink',
      pr: 'merge checkout',
      mr: 'merge checkout',
      issue: 'transfer delete',
      gist: 'create edit delete clone rename',
      run: 'download',
      ci: 'artifact',
      release: 'delete download upload',
      label: 'clone',
    },
    allSubcommands:
      'alias api attestation auth browse cache codespace completion config copilot extension gist gpg-key help issue label mr ci org pr preview project release repo ruleset run search secret ssh-key status variable version workflow',
    passesOn: 'program',
  },
  {
    programs: 'aws gcloud az heroku fly flyctl vercel netlify wrangler',
    manual: 'the manual of each',
    // argparse accepts every prefix of a name.
    style: 'gnu',
    // A format, which is also the prefix of another option.
    harmless: /^--output(?:=\w+)?$/,
    runs: '--no-verify-ssl --impersonate-service-account --access-token-file --configuration --with-decryption --scripts --cli-input-json --cli-input-yaml --flags-file --profile --endpoint-url --ca-bundle --config --inventory --token -A --local-config -Q --global-config --cwd',
    writes: '--outfile -o --output-file --dir',
    // Secrets, other machines, and code from elsewhere.
    words:
      /^fileb?:|[=,]fileb?:|^@|^(?:secretsmanager|keyvault|secrets?|ssh|scp|run-command|start-session|execute-command|start-iap-tunnel|extension|components|rest|upgrade|create-access-key|create-login-profile|export-credentials|decrypt|assume-role\S*|(?:batch-)?get-(?:secret-value|parameters?-by-path|login-password|access-token|session-token|federation-token|authorization-token|credentials\S*)|print-(?:access|identity)-token)$/,
    subcommands:
      'configure auth login logout init config ssh deploy destroy delete exec dev link env secrets',
  },
  {
    programs: 'hg svn',
    manual: 'hg(1), svn help',
    style: 'gnu',
    runs: '--config --config-file --config-dir --config-option --diff-cmd --diff3-cmd --merge-cmd --editor-cmd --debugger --ssh -e --remotecmd --tool -t',
    writes: '-o --output --profile',
    elsewhere: '-R --repository --cwd',
    subcommands:
      'serve config import export archive extdiff patch bisect debugsetparents propset ps propedit pe',
    words: /^[a-z+]*ssh:.*-o/i,
  },
  {
    programs: 'apt apt-get aptitude dpkg dnf yum apk pacman brew port nix nix-env nix-build nix-shell',
    manual: 'apt(8), dpkg(1), nix(1), and the manual of each',
    runs: '-o -c -i -C -D --option --config-file --config --admindir --root --hookdir --pre-invoke --post-invoke --setopt --command --run --expr -E -f --file --impure --installroot --hookdir --gpgdir --arg --argstr --unpack',
    subcommands: 'run develop shell edit create bump-cask-pr sh ruby irb exec services',
  },
  {
    programs: 'systemctl journalctl loginctl',
    manual: 'systemctl(1), journalctl(1)',
    style: 'gnu',
    runs: '-H --host -M --machine --root --image --file -D --directory --cursor-file',
    subcommands:
      'edit link enable reenable set-property set-environment import-environment revert preset mask',
  },
  {
    programs: 'printf',
    manual: 'bash(1), builtins',
    style: 'gnu',
    runs: '-v',
  },
  {
    programs: 'test [ [[ print exit return shift break continue kill wait ulimit getopts',
    manual: 'bash(1), zshbuiltins(1)',
    style: 'gnu',
    runs: '-v -R -P -n',
    words: /\[.*[$`(]/s,
    harmless: /^-n$/,
  },
  {
    programs:
      'watch parallel xargs env sudo doas su nohup setsid timeout gtimeout nice ionice chrt taskset stdbuf time exec command builtin script flock entr hyperfine busybox toybox chroot unshare nsenter strace ltrace valgrind perf gdb lldb rr rlwrap unbuffer tmux screen batch systemd-run run-parts start-stop-daemon setarch prlimit caffeinate dbus-run-session xvfb-run fakeroot proot firejail bwrap flatpak direnv mise asdf dotenv dotenvx cross-env concurrently npm-run-all nodemon pm2 foreman overmind honcho watchexec onchange chokidar wsl ssh-agent gosu su-exec tini dumb-init torify proxychains faketime eatmydata numactl cpulimit xdg-open open start gio nc ncat netcat socat pkexec runuser linux32 linux64 setpriv capsh choom inotifywait timeit pdb runpy code codeop cprofile profile trace zipapp',
    manual: 'the manual of each: they run another program',
    style: 'gnu',
    words: /./s,
  },
  {
    programs:
      'eval source . trap alias export declare local readonly typeset enable hash set shopt bind complete compgen let read mapfile readarray unset zmodload autoload zcompile functions zle sched fc coproc',
    manual: 'bash(1), builtins',
    style: 'gnu',
    words: /./s,
  },
];
