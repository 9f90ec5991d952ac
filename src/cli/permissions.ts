/** Puts the permission room to work: rules from every layer, rules learnt in this session, the shell parser. */
import { join } from 'node:path';
import { settingsFiles } from '../config/loadSettings.ts';
import { addLocalRule } from '../config/localRules.ts';
import type { LoadedSettings } from '../config/types.ts';
import { decide } from '../permissions/decide.ts';
import { expandGlob } from '../permissions/expandGlob.ts';
import { gitRunsPrograms } from '../permissions/gitPrograms.ts';
import type { SourcedRule } from '../permissions/rules.ts';
import { loadShellParser } from '../permissions/shell.ts';
import type { Access, PermissionDecision, PermissionMode, RuleSuggestion } from '../protocol/permissions.ts';
import { realpath } from './workspace.ts';

export interface Permissions {
  decide(tool: string, access: Access, mode: PermissionMode): Promise<PermissionDecision>;
  /** Saves an "always" and says what was saved where. */
  remember(suggestion: RuleSuggestion): Promise<string>;
  rules(): readonly SourcedRule[];
}

export interface PermissionPlaces {
  readonly dataRoot: string;
  readonly home: string;
  readonly root: string;
  /** The folder with the grammar files. */
  readonly wasm: string;
  /** Reading in here never asks: what the program itself stored for the model. */
  readonly ownDirectories: readonly string[];
  /** A rule was saved into the folder's local settings. */
  readonly onSaved: () => Promise<void>;
}

export function createPermissions(loaded: LoadedSettings, places: PermissionPlaces): Permissions {
  const { home, root } = places;
  const localSettingsFile = settingsFiles(places).local;
  let rules: readonly SourcedRule[] = loaded.rules;
  let parser: ReturnType<typeof loadShellParser> | undefined;

  return {
    rules: () => rules,
    async decide(tool, access, mode) {
      // The grammar is loaded for the first command, not before: most sessions begin with reading.
      if (access.type === 'command') parser ??= loadShellParser(places.wasm).catch(() => notUnderstood);
      const parseCommand = (await parser) ?? notUnderstood;
      return decide(
        { tool, access },
        {
          mode,
          rules,
          root,
          additionalDirectories: loaded.settings.permissions.additionalDirectories,
          ownDirectories: places.ownDirectories,
          home,
          realpath,
          expandGlob,
          gitRunsPrograms,
          parseCommand,
          localSettingsFile,
        },
      );
    },
    async remember({ rules: texts, destination, file }) {
      const add = (source: string): void => {
        rules = [
          ...rules,
          ...texts.map((text) => ({ text, behavior: 'allow' as const, source, base: root })),
        ];
      };
      if (destination !== 'local' || file === undefined) {
        add('session');
        return `Allowed for this session: ${texts.join(', ')}`;
      }
      for (const text of texts) {
        const saved = await addLocalRule(file, 'allow', text);
        if (saved.type === 'refused') {
          add('session');
          return `Allowed for this session only. ${saved.message}`;
        }
      }
      add(file);
      await places.onSaved();
      return `Saved to ${file}: allow ${texts.join(', ')}`;
    },
  };
}

/** Without the grammar no command is understood, and what is not understood is asked about. */
const notUnderstood = () => ({ ok: false as const });

/** Where the build puts the shell grammar. */
export function grammarFolder(packageRoot: string): string {
  return join(packageRoot, 'dist');
}
