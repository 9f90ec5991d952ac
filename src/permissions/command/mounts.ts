/** Finds the files and folders of the machine that a command makes visible in a container. Pure. */
import { programName } from '../options/programTable.ts';
import type { CommandPart } from '../shell/parsedCommand.ts';
import { callsIn } from './forbidden/equivalentCalls.ts';

interface Mount {
  /** As written. */
  readonly source: string;
  readonly isReadOnly: boolean;
}

/** `-v source:target[:ro]` and `--mount type=bind,source=…` of docker-run(1); a plain name is a volume, not a file. */
export function mountsOf(part: CommandPart): readonly Mount[] {
  return callsIn(part).flatMap(({ argv }) => {
    if (!/^(?:docker|podman|nerdctl|docker-compose)$/.test(programName(argv[0]))) return [];
    return argv.flatMap((word, at) => {
      const [, option, value = ''] =
        /^(-v|--volume|--mount)(?:=?)(.+)$/s.exec(word ?? '') ??
        /^(-v|--volume|--mount) (.+)$/s.exec(`${argv[at - 1] ?? ''} ${word ?? ''}`) ??
        [];
      return option === undefined ? [] : option === '--mount' ? bound(value) : volume(value);
    });
  });
}

function volume(value: string): readonly Mount[] {
  const [source = '', target, options = ''] = value.split(':');
  if (target === undefined || !/^[./~]/.test(source)) return [];
  return [{ source, isReadOnly: options.split(',').includes('ro') }];
}

function bound(value: string): readonly Mount[] {
  const settings = value.split(',');
  const source = settings.flatMap((one) => /^(?:source|src)=(.+)$/s.exec(one)?.[1] ?? [])[0];
  if (source === undefined || !settings.includes('type=bind')) return [];
  return [{ source, isReadOnly: settings.some((one) => /^(?:readonly|ro)(?:=true|=1)?$/.test(one)) }];
}
