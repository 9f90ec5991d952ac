/** The entry point of the bundle: parses the command line and starts the screen or headless mode. */

import { reveal } from '../protocol/text/reveal.ts';
import { portNotesFolder } from '../sandbox/network/portNotes.ts';
import type { DriveOptions } from './headless/drive.ts';
import { type CliOptions, parseArguments } from './options.ts';
import { type AppPaths, AppPathsError, programVersion, readAppPaths } from './process/appPaths.ts';
import { guardForwardedPorts } from './process/forwardedPortGuard.ts';
import { exitNow, guardOutput } from './process/guardSession.ts';
import { limitHeap, type SetFlags } from './process/heap.ts';
import { routeOf } from './route.ts';
import { screenKind } from './terminal/screenKind.ts';

/**
 * Runs the program and returns its exit code (the table is in docs/headless.md). `setFlags` changes V8 flags; the
 * launcher must know them, because its compiled-code cache is valid only for the same flags.
 */
export async function main(argv: readonly string[], setFlags: SetFlags): Promise<number> {
  try {
    return await run(argv, setFlags);
  } catch (error) {
    const code = refusalCode(error);
    if (code === undefined) throw error;
    complain((error as Error).message);
    return code;
  }
}

/** Runs a session inside another program's process, see `drive`; the package's own SDK calls it. */
export async function drive(options: DriveOptions): Promise<number> {
  try {
    return await (await import('./headless/drive.ts')).drive(options);
  } catch (error) {
    const code = refusalCode(error);
    if (code === undefined) throw error;
    options.writeError(`clawdcode: ${(error as Error).message}\n`);
    return code;
  }
}

/** Returns the exit code of errors that prevent the start; undefined for any other error. */
function refusalCode(error: unknown): number | undefined {
  if (error instanceof AppPathsError) return 42;
  // Compared by name: importing its module would load the settings, which the start avoids.
  return error instanceof Error && error.name === 'ManagedSettingsError' ? 52 : undefined;
}

async function run(argv: readonly string[], setFlags: SetFlags): Promise<number> {
  // Needs no modules to be loaded.
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-v')) {
    guardOutput(stopAtOnce);
    process.stdout.write(`${programVersion()}\n`);
    return 0;
  }
  guardForwardedPorts(() => portNotesFolder(readAppPaths().dataRoot));
  const route = routeOf(argv);
  if (route.type === 'session') {
    const { sessionCommand } = await import('./sessionCommand/command.ts');
    return sessionCommand(readAppPaths(), route.argv);
  }
  if (route.type === 'permissions') {
    const { permissionsCommand } = await import('./subcommands/permissions.ts');
    return permissionsCommand(readAppPaths(), route.argv);
  }
  if (route.type === 'mcp') {
    const { mcpCommand } = await import('./mcpCommand/command.ts');
    return reportingDamage(await mcpCommand(readAppPaths(), route.argv));
  }
  if (route.type === 'plugin') {
    const { pluginCommand } = await import('./subcommands/plugin.ts');
    return reportingDamage(await pluginCommand(readAppPaths(), route.argv));
  }
  if (route.type === 'config') {
    const { configCommand } = await import('./subcommands/config.ts');
    return configCommand(readAppPaths(), route.argv);
  }
  if (route.type === 'models') {
    const { modelsCommand } = await import('./subcommands/models.ts');
    return modelsCommand(readAppPaths(), route.argv);
  }
  if (route.type === 'fleet') {
    const { fleetCommand } = await import('./fleet/command.ts');
    return fleetCommand(readAppPaths(), route.argv);
  }
  if (route.type === 'acp') {
    limitHeap(setFlags);
    const { acpCommand } = await import('./acp/command.ts');
    return exitNow(await acpCommand(readAppPaths(), route.argv));
  }
  if (route.type === 'stats') {
    const { statsCommand } = await import('./subcommands/stats.ts');
    return statsCommand(readAppPaths(), route.argv);
  }
  if (route.type === 'auth') {
    const { authCommand } = await import('./subcommands/auth.ts');
    return reportingDamage(await authCommand(readAppPaths(), route.argv));
  }
  if (route.type === 'doctor') {
    const { doctorCommand } = await import('./doctor/command.ts');
    return doctorCommand(readAppPaths(), route.argv);
  }
  if (route.type === 'completion') {
    const { completionCommand } = await import('./completion/command.ts');
    return completionCommand(readAppPaths(), route.argv);
  }
  if (route.type === 'unclear') {
    complain(route.message);
    return 42;
  }
  const parsed = await parseArguments(route.type === 'help' ? ['--help'] : argv, programVersion());
  if (parsed.type === 'exit') {
    guardOutput(stopAtOnce);
    process.stdout.write(parsed.stdout);
    process.stderr.write(parsed.stderr);
    return parsed.code;
  }
  const options = await withPromptFiles(parsed.options);
  if (typeof options === 'string') {
    complain(options);
    return 42;
  }
  limitHeap(setFlags);
  const place = readAppPaths();
  if (options.print) return exitNow(await print(place, options));
  const kind = await screenKind(
    { screenReader: options.screenReader, hasPrompt: options.prompt !== undefined },
    { stdinIsTerminal: process.stdin.isTTY === true, stdoutIsTerminal: process.stdout.isTTY === true },
    place.env,
    place.dataRoot,
  );
  if (kind.type === 'none') {
    complain(kind.message);
    return 42;
  }
  if (kind.type === 'print') return exitNow(await print(place, options));
  if (kind.type === 'linear') {
    const { plainMode } = await import('./plain.ts');
    return exitNow(await plainMode(place, options, kind.isEditing));
  }
  const { drawFirstFrame, loadScreen } = await import('./terminal/firstFrame.ts');
  const first = drawFirstFrame(place, process.stdin, process.stdout);
  const { interactiveMode } = await loadScreen();
  return exitNow(await interactiveMode(place, options, first));
}

/** Changes to the directory of `-C`, and reads the files that flags name; returns a message if that fails. */
async function withPromptFiles(options: CliOptions): Promise<CliOptions | string> {
  const { directory, systemPromptFile, appendSystemPromptFile } = options;
  try {
    const read = async (file: string | undefined): Promise<string | undefined> =>
      file === undefined ? undefined : (await import('node:fs/promises')).readFile(file, 'utf8');
    if (directory !== undefined) process.chdir(directory);
    const [system, appended] = await Promise.all([read(systemPromptFile), read(appendSystemPromptFile)]);
    const texts = [options.appendSystemPrompt, appended].filter((text) => text !== undefined);
    return {
      ...options,
      systemPrompt: options.systemPrompt ?? system,
      appendSystemPrompt: texts.length === 0 ? undefined : texts.join('\n\n'),
    };
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}.`;
  }
}

/** For commands that read logins and approvals: says which could not be read. */
async function reportingDamage(code: number): Promise<number> {
  const { damagedNotices } = await import('./damagedNotices.ts');
  for (const notice of await damagedNotices(readAppPaths())) complain(notice);
  return code;
}

async function print(place: AppPaths, options: CliOptions): Promise<number> {
  // Start git while the process is still small: forking copies the page tables of all its memory.
  const { prefetchEnvironment } = await import('./process/environment.ts');
  const environment = prefetchEnvironment(place);
  const [{ printMode }, { processIo }] = await Promise.all([
    import('./headless/headless.ts'),
    import('./headless/headlessProcess.ts'),
  ]);
  return printMode(place, options, environment, processIo());
}

/** Messages quote arguments, paths and settings, which must not drive the terminal. */
function complain(message: string): void {
  process.stderr.write(`clawdcode: ${reveal(message)}\n`);
}

/** For use before there is anything to save. */
function stopAtOnce(code: number, message: string | undefined): never {
  if (message !== undefined) complain(message);
  process.exit(code);
}
