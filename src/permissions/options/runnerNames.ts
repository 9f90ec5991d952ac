/**
 * Programs that run what they are given: shells, interpreters, and programs that start others. The only table about
 * them. Names as `programName` returns them. Data only.
 */

const named = (names: string): ReadonlySet<string> => new Set(names.split(/\s+/));

const shells =
  named(`bash sh dash zsh ksh fish ash csh tcsh mksh lksh oksh pdksh yash rbash rksh rzsh xonsh pwsh
  powershell nu elvish`);

/** Shells whose language our grammar reads. */
const plainShells = named('bash sh dash zsh ksh');

const interpreters =
  named(`python pypy node nodejs deno bun tsx ts-node perl ruby php lua luajit rscript julia osascript
  tclsh expect`);

/** Filters with a language that can start programs. */
const filters = named('awk gawk mawk nawk');

const wrappers =
  named(`sudo doas pkexec runuser su xargs env exec command builtin timeout gtimeout time nice ionice chrt
  taskset nohup setsid stdbuf unbuffer watch parallel chroot unshare nsenter bwrap firejail strace ltrace gdb valgrind
  busybox toybox trap alias coproc npx bunx pnpx uvx corepack flock script entr hyperfine perf direnv mise asdf dotenv
  cross-env systemd-run systemd-inhibit caffeinate torify proxychains tmux screen at batch rlwrap winpty expect prlimit
  numactl cpulimit eatmydata fakeroot faketime ssh mosh run-parts start-stop-daemon setarch linux32 linux64 catchsegv
  gosu su-exec tini dumb-init setpriv choom uclampset systemd-cat cgexec proot dbus-run-session xvfb-run capsh ld.so
  noglob nocorrect - repeat ssh-agent fakechroot x86_64 uname26 arch xcrun chronic ifne pee mispipe lckdo tsp chpst
  softlimit setuidgid envuidgid envdir setlock run0 env-cmd watchexec autossh sshpass xterm daemonize wsl wsl.exe reflex
  sem flatpak-spawn pssh parallel-ssh tsocks torsocks sandbox-exec`);

/** Wrappers with several names. */
const familiesOfWrappers = /^(?:ld-linux.*|ld-musl.*|i[3-6]86|s6-.*)$/;

const carriers =
  named(`docker docker-compose podman nerdctl kubectl oc crictl lxc incus machinectl distrobox toolbox
  flatpak limactl multipass vagrant apptainer singularity conda mamba micromamba rye pixi devbox doppler op aws-vault
  chamber infisical sops teller dotenvx heroku fly flyctl devcontainer launchctl gcloud`);

/** Without the version: `python3.12` is `python`, `lua5.4` is `lua`. */
const plain = (name: string): string => name.replace(/(?<=[a-z])[\d.]+$/, '');

export const isShellName = (name: string): boolean => shells.has(name);

export const isPlainShell = (name: string): boolean => plainShells.has(name);

/** True for an interpreter that is not a shell, whatever its version. */
export const isInterpreter = (name: string): boolean => interpreters.has(plain(name));

/** True if code among its words may start programs. */
export const takesCode = (name: string): boolean => isInterpreter(name) || filters.has(name);

/** True if a program runs another one that its words name. */
export const isRunner = (name: string): boolean =>
  wrappers.has(name) || shells.has(name) || familiesOfWrappers.test(name);

/** True if a program runs another one only by a subcommand, in a container, an environment or with secrets. */
export const isCarrier = (name: string): boolean => carriers.has(name);

/** True if a program runs later what it reads: at(1), crontab(1). */
export const isScheduler = (name: string): boolean => /^(?:at|batch|crontab)$/.test(name);

/** True if a program other than a shell runs commands that it reads: ed(1), tclsh(1). */
export const readsCommands = (name: string): boolean => /^(?:ed|ex|tclsh|expect)$/.test(name);
