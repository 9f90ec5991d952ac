/** `clawdcode plugin …`: connects the subcommands with their dependencies. Loaded only when used. */
import { createInterface } from 'node:readline/promises';
import { contentLines, pluginsPage } from '../../commands/extensions/plugin.ts';
import { plainText } from '../../commands/pages/page.ts';
import { EXIT, type ExitCode } from '../../headless/exitCodes.ts';
import type { PluginContents, PluginInfo } from '../../protocol/extensions/plugins.ts';
import { shownText } from '../../ui/print/sanitize.ts';
import {
  disablePlugin,
  discardPlugin,
  enablePlugin,
  installPlugin,
  listPlugins,
  removePlugin,
  stagePlugin,
} from '../plugins/pluginStore.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { type Output, parseSubcommand, standardOutput } from '../sessionCommand/output.ts';
import { createPluginProgram } from './programs.ts';

/** `argv`: the arguments after `plugin`. Returns the exit code. */
export async function pluginCommand(place: AppPaths, argv: readonly string[]): Promise<number> {
  const output = standardOutput(place);
  let code: ExitCode = EXIT.ok;
  const program = createPluginProgram(() => ({
    async add(source, { yes = false }) {
      code = await add(place, output, source, yes);
    },
    async list() {
      await output.line(shownText(plainText(pluginsPage(await listPlugins(place)), output.width)));
    },
    async enable(name, { yes = false }) {
      code = await withPlugin(place, output, name, async (found) => {
        const { contents, state } = found;
        if (contents === undefined) return refused(output, state.type === 'unusable' ? state.why : '');
        if (!(await approved(output, contents, yes))) return EXIT.failed;
        await enablePlugin(place, found);
        await output.line(`New sessions use ${name}.`);
        return EXIT.ok;
      });
    },
    async disable(name) {
      code = await withPlugin(place, output, name, async () => {
        await disablePlugin(place, name);
        await output.line(`New sessions do not use ${name}.`);
        return EXIT.ok;
      });
    },
    async remove(name) {
      code = await withPlugin(place, output, name, async () => {
        await removePlugin(place, name);
        await output.line(`Removed ${name}.`);
        return EXIT.ok;
      });
    },
  }));
  return (await parseSubcommand(program, argv, output)) ?? code;
}

async function add(place: AppPaths, output: Output, source: string, yes: boolean): Promise<ExitCode> {
  const staged = await stagePlugin(place, source);
  if (typeof staged === 'string') return refused(output, staged);
  try {
    const known = (await listPlugins(place)).find(({ name }) => name === staged.contents.name);
    if (known !== undefined)
      await output.line(shownText(`It replaces the installed plugin ${known.name} from ${known.source}.`));
    if (!(await approved(output, staged.contents, yes))) return EXIT.failed;
    await installPlugin(place, staged);
  } finally {
    await discardPlugin(staged);
  }
  await output.line(`Added ${staged.contents.name}. New sessions use it.`);
  return EXIT.ok;
}

/** Shows everything that would run, and asks. Refuses without a terminal, since no one could answer. */
async function approved(output: Output, contents: PluginContents, yes: boolean): Promise<boolean> {
  await output.line(
    shownText([`Plugin ${contents.name}:`, ...contentLines(contents).map((line) => `  ${line}`)].join('\n')),
  );
  if (yes) return true;
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    output.say('Nothing was changed: approve it in a terminal, or with --yes.');
    return false;
  }
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await lines.question('Use this plugin? [y/N] ').catch(() => '');
  lines.close();
  if (/^y(?:es)?$/i.test(answer.trim())) return true;
  output.say('Nothing was changed.');
  return false;
}

async function withPlugin(
  place: AppPaths,
  output: Output,
  name: string,
  run: (found: PluginInfo) => Promise<ExitCode>,
): Promise<ExitCode> {
  const found = (await listPlugins(place)).find((one) => one.name === name);
  return found === undefined ? refused(output, `There is no plugin ${JSON.stringify(name)}.`) : run(found);
}

function refused(output: Output, problem: string): ExitCode {
  output.say(shownText(problem));
  return EXIT.badInput;
}

/** A plugin's texts are untrusted. */
