/** The entry of the bundle: parses the command line and hands over to the screen or to `-p`. */

import { type CliOptions, parseArguments } from './options.ts';
import { type AppPaths, NoAppPathsError, programVersion, readAppPaths } from './process/appPaths.ts';
import { exitNow, guardOutput } from './process/exit.ts';
import { keepHeapSmall, type SetFlags } from './process/heap.ts';
import { routeOf } from './route.ts';
import { screenKind } from './terminal/screenKind.ts';

/**
 * Runs the program, and gives its exit code (docs/headless.md has the table). `setFlags`: how settings of V8 are
 * changed; the launcher has to know, as code that it keeps holds for them.
 */
export async function main(argv: readonly string[], setFlags: SetFlags): Promise<number> {
  try {
    return await run(argv, setFlags);
  } catch (error) {
    const code = refusalCode(error);
    if (code === undefined) throw error;
    process.stderr.write(`clawdcode: ${(error as Error).message}\n`);
    return code;
  }
}

/** Of what keeps the program from starting; undefined for anything else. */
function refusalCode(error: unknown): number | undefined {
  if (error instanceof NoAppPathsError) return 42;
  // By name: its module brings the settings along, which the start does without.
  return error instanceof Error && error.name === 'ManagedSettingsError' ? 52 : undefined;
}

async function run(argv: readonly string[], setFlags: SetFlags): Promise<number> {
  // The one question that needs nothing loaded.
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-v')) {
    guardOutput(stopAtOnce);
    process.stdout.write(`${programVersion()}\n`);
    return 0;
  }
  const route = routeOf(argv);
  if (route.type === 'session') {
    const { sessionCommand } = await import('./sessionCommand/command.ts');
    return sessionCommand(readAppPaths(), route.argv);
  }
  if (route.type === 'permissions') {
    const { permissionsCommand } = await import('./permissionsCommand/command.ts');
    return permissionsCommand(readAppPaths(), route.argv);
  }
  if (route.type === 'mcp') {
    const { mcpCommand } = await import('./mcpCommand/command.ts');
    return mcpCommand(readAppPaths(), route.argv);
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
    process.stderr.write(`clawdcode: ${route.message}\n`);
    return 42;
  }
  const parsed = await parseArguments(route.type === 'help' ? ['--help'] : argv, programVersion());
  if (parsed.type === 'exit') {
    guardOutput(stopAtOnce);
    process.stdout.write(parsed.stdout);
    process.stderr.write(parsed.stderr);
    return parsed.code;
  }
  const { options } = parsed;
  keepHeapSmall(setFlags, !options.print);
  const place = readAppPaths();
  if (options.print) return exitNow(await print(place, options));
  const kind = await screenKind(
    { screenReader: options.screenReader, hasPrompt: options.prompt !== undefined },
    { stdinIsTerminal: process.stdin.isTTY === true, stdoutIsTerminal: process.stdout.isTTY === true },
    place.env,
    place.dataRoot,
  );
  if (kind.type === 'none') {
    process.stderr.write(`clawdcode: ${kind.message}\n`);
    return 42;
  }
  if (kind.type === 'print') return exitNow(await print(place, options));
  if (kind.type === 'linear') {
    const { linearMode } = await import('./linear.ts');
    return exitNow(await linearMode(place, options, kind.isEditing));
  }
  const { drawFirstFrame, loadScreen } = await import('./terminal/firstFrame.ts');
  const first = drawFirstFrame(place, process.stdin, process.stdout);
  const { interactiveMode } = await loadScreen();
  return exitNow(await interactiveMode(place, options, first));
}

async function print(place: AppPaths, options: CliOptions): Promise<number> {
  // Git is started while the program is still small: starting it copies the tables of all its memory.
  const { prefetchEnvironment } = await import('./process/environment.ts');
  const environment = prefetchEnvironment(place.cwd);
  const { printMode } = await import('./headless.ts');
  return printMode(place, options, environment);
}

/** Nothing is under way that would have to be saved. */
function stopAtOnce(code: number, message: string | undefined): never {
  if (message !== undefined) process.stderr.write(`clawdcode: ${message}\n`);
  process.exit(code);
}
