import type { Signal } from '@preact/signals';
import { draftCount } from '../state/drafts.ts';
import { setTo, useLoaded } from '../state/effects.ts';
import { characterKeys, densities, density, theme } from '../state/settings.ts';
import { themes } from '../state/themes.ts';
import { Modal, ScrollArea } from '../ui/modal.tsx';
import { type Command, commandNames, helpName, keymap } from './keymap.ts';

const titles: Readonly<Partial<Record<Command, string>>> = { search: 'Find', create: 'Write', select: 'Organise' };

const parts: { readonly title: string; readonly commands: Command[] }[] = [];
for (const command of commandNames) {
  const title = titles[command];
  if (title) parts.push({ title, commands: [] });
  parts.at(-1)?.commands.push(command);
}

export const Help = () => (
  <Modal title={helpName()} closesOnBackdrop>
    <ScrollArea label={helpName()} class="help overflow-y-auto p-5 text-sm" autofocus>
      <div class="flex flex-wrap items-end gap-x-10 gap-y-4 border-b border-base-300 pb-4">
        <Choice name="Theme" values={themes} chosen={theme} />
        <Choice name="Rows" class="max-sm:hidden" values={densities} chosen={density} />
        <label class="keys flex items-center gap-2 text-sm touch">
          <input
            type="checkbox"
            class="checkbox checkbox-sm"
            checked={characterKeys.value}
            onChange={({ currentTarget }) => {
              characterKeys.value = currentTarget.checked;
            }}
          />
          Single-key shortcuts (those with Ctrl always work)
        </label>
      </div>
      <div class="keys">
        {parts.map(({ title, commands }) => (
          <table key={title}>
            <caption>{title}</caption>
            <tbody>
              {commands.map((command) => (
                <tr key={command}>
                  <th scope="row" class="pe-4 text-start font-normal">
                    {keymap[command].label}
                  </th>
                  <td class="text-end">
                    <Keys keys={keymap[command].keys} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        ))}
      </div>
      <p class="mt-4 flex flex-wrap items-center justify-between gap-x-4">
        <a class="link touch inline-flex items-center keys" href="docs">
          The HTTP interface
        </a>
        <ServiceState />
      </p>
    </ScrollArea>
  </Modal>
);

function ServiceState() {
  const { value: answer } = useLoaded(() => askService().catch(() => noAnswer), []);
  return (
    <>
      {answer?.asksForToken && (
        <a class="link" href={draftCount() === 0 ? 'sign-in' : `sign-in?drafts=${draftCount()}`}>
          Sign out
        </a>
      )}
      <span class="muted" role="status">
        {answer?.text}
      </span>
    </>
  );
}

const noAnswer = { text: 'The service does not answer', asksForToken: false };

async function askService(): Promise<typeof noAnswer> {
  const [alive, ready] = await Promise.all([fetch('healthz'), fetch('readyz')]);
  const { version, commit, date, access }: Partial<Record<string, unknown>> = await alive.json();
  const build = date === undefined ? commit : `${commit}, ${date}`;
  return { text: `Notes ${version} (${build})${ready.ok ? '' : ', not ready'}`, asksForToken: access === 'token' };
}

interface ChoiceProps<Value extends string> {
  readonly name: string;
  readonly class?: string;
  readonly values: readonly Value[];
  readonly chosen: Signal<Value>;
}

const Choice = <Value extends string>({ name, class: more = '', values, chosen }: ChoiceProps<Value>) => (
  <fieldset class={`flex flex-wrap items-center gap-x-4 ${more}`}>
    <legend class="font-medium">{name}</legend>
    {values.map((value) => (
      <label key={value} class="flex items-center gap-2 capitalize touch">
        <input
          type="radio"
          name={name}
          class="radio"
          checked={chosen.value === value}
          onChange={setTo(chosen, value)}
        />
        {value}
      </label>
    ))}
  </fieldset>
);

export function Keys({ keys }: { keys: readonly string[] }) {
  const shown = keys.length > 2 ? [`${keys[0]} … ${keys.at(-1)}`] : keys;
  return (
    <span class="keys inline-flex flex-wrap justify-end gap-1">
      {shown.map((key) => (
        <kbd key={key} class="kbd kbd-sm">
          {key}
        </kbd>
      ))}
    </span>
  );
}
