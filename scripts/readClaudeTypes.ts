/**
 * Reads the names and types of fields from the published types of `@anthropic-ai/claude-agent-sdk`, which brings a binary
 * too large for a dependency of ours. Tests compare what this program sends and accepts with the result.
 *
 *     npm pack @anthropic-ai/claude-agent-sdk && tar xf anthropic-ai-claude-agent-sdk-*.tgz
 *     npx node scripts/readClaudeTypes.ts package
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hookEvents } from '../src/protocol/extensions/hooks.ts';

/** The tools that both programs have, by the names of their types. */
const tools = {
  Agent: 'AgentInput',
  AskUserQuestion: 'AskUserQuestionInput',
  Bash: 'BashInput',
  Edit: 'FileEditInput',
  ExitPlanMode: 'ExitPlanModeInput',
  Glob: 'GlobInput',
  Grep: 'GrepInput',
  Read: 'FileReadInput',
  TodoWrite: 'TodoWriteInput',
  WebFetch: 'WebFetchInput',
  Write: 'FileWriteInput',
};

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Usage: readClaudeTypes.ts <folder of the package>');
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\//g, '');
const sdk = withoutComments(read('sdk.d.ts'));
const sdkTools = withoutComments(read('sdk-tools.d.ts'));

const json = {
  version: (JSON.parse(read('package.json')) as { version: string }).version,
  hookBase: fieldsOf(sdk, 'BaseHookInput'),
  hooks: Object.fromEntries(hookEvents.map((event) => [event, fieldsOf(sdk, `${event}HookInput`)])),
  tools: Object.fromEntries(Object.entries(tools).map(([tool, type]) => [tool, fieldsOf(sdkTools, type)])),
  results: Object.fromEntries(
    Object.entries(tools).map(([tool, type]) => [tool, shapesOf(type.replace('Input', 'Output'))]),
  ),
};
const target = join(import.meta.dirname, '../test/fixtures/claudeTypes.json');
writeFileSync(target, `${JSON.stringify(json, null, 2)}\n`);

/** The fields of a declaration by name; `?` after a name = optional. */
function fieldsOf(source: string, type: string): Record<string, string> {
  const start = new RegExp(`(?:declare type|interface) ${type}(?: =[^{;]*)? \\{`).exec(source);
  if (start === null) throw new Error(`${type} is not declared`);
  return fieldsIn(source.slice(start.index + start[0].length));
}

/** The fields up to the brace that closes the text. `isDeep`: with those of objects in them, as `file.content`. */
function fieldsIn(body: string, isDeep = false): Record<string, string> {
  const fields: Record<string, string> = {};
  let depth = 0;
  let field = '';
  for (const character of body) {
    if (character === '}' && depth === 0) break;
    if ('{[('.includes(character)) depth++;
    if ('}])'.includes(character)) depth--;
    if (character !== ';' || depth > 0) field += character;
    else {
      const [, name = '', mark = '', text = ''] = /^\s*"?([\w-]+)"?(\??):\s*([\s\S]*)$/.exec(field) ?? [];
      if (name !== '') Object.assign(fields, described(`${name}${mark}`, text.trim(), isDeep));
      field = '';
    }
  }
  return fields;
}

function described(name: string, text: string, isDeep: boolean): Record<string, string> {
  const own = { [name]: plain(text) };
  const inner = /^\{([\s\S]*\})(?:\[\])?( \| null)?$/.exec(text);
  if (!isDeep || inner === null) return own;
  const nested = Object.entries(fieldsIn(inner[1] ?? '', true));
  return {
    ...own,
    ...Object.fromEntries(nested.map(([key, type]) => [`${name.replace('?', '')}.${key}`, type])),
  };
}

/** The shapes that a result may have: one for each member of a union. */
function shapesOf(type: string): Record<string, string>[] {
  const start = new RegExp(`export (?:type ${type} =|interface ${type})\\s`).exec(sdkTools);
  if (start === null) throw new Error(`${type} is not declared`);
  const shapes: Record<string, string>[] = [];
  let depth = 0;
  for (let at = start.index + start[0].length; at < sdkTools.length; at++) {
    const character = sdkTools[at];
    if (character === '{' && depth++ === 0) shapes.push(fieldsIn(sdkTools.slice(at + 1), true));
    if (character === '}') depth--;
    if (depth === 0 && /^(?:;|\s*export )/.test(sdkTools.slice(at + 1, at + 20))) break;
  }
  return shapes;
}

/** What a test compares: the basic type, or the values of a choice. */
function plain(text: string): string {
  const alias = /^\w+$/.exec(text) && new RegExp(`declare type ${text} = ([^;{]+);`).exec(sdk)?.[1];
  const resolved = (alias ?? text).replace(/\s+/g, ' ').trim();
  if (/\]$/.test(resolved)) return 'array';
  if (resolved.startsWith('{')) return resolved.endsWith('| null') ? 'object|null' : 'object';
  const choices = [...resolved.matchAll(/(?:^|\| ?)(['"])(.*?)\1/g)].map(([, , value]) => value);
  if (choices.length > 0) return choices.join('|');
  if (/^(?:true|false)\b/.test(resolved)) return 'boolean';
  const [basic] = /^(?:string|number|boolean|unknown)\b/.exec(resolved) ?? [];
  if (basic !== undefined) return resolved.endsWith('| null') ? `${basic}|null` : basic;
  return 'object';
}
