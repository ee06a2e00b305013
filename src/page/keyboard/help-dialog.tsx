import type { Signal } from '@preact/signals';
import { countDrafts } from '../state/drafts.ts';
import { densities, density, hasCharacterKeys, theme } from '../state/settings.ts';
import { createSetter, useLoaded } from '../state/signal-helpers.ts';
import { themes } from '../state/themes.ts';
import { Modal, ScrollArea } from '../ui/modal.tsx';
import { type Command, commandNames, getHelpDialogTitle, keymap } from './keymap.ts';

const sectionTitles: Readonly<Partial<Record<Command, string>>> = {
  search: 'Find',
  create: 'Write',
  select: 'Organise',
};

const helpSections: { readonly title: string; readonly commands: Command[] }[] = [];
for (const command of commandNames) {
  const title = sectionTitles[command];
  if (title) helpSections.push({ title, commands: [] });
  helpSections.at(-1)?.commands.push(command);
}

/** Keys of the browser, the search, the palette and the form, by the section that lists them. */
const furtherKeys: Readonly<Record<string, readonly { readonly label: string; readonly keys: readonly string[] }[]>> = {
  Find: [
    { label: 'Next in the search and in commands', keys: ['Ctrl+J', 'Ctrl+N'] },
    { label: 'Previous in the search and in commands', keys: ['Ctrl+P'] },
    { label: 'Clear the search, then its filters', keys: ['Esc'] },
    { label: 'A page up or down, in the list or note', keys: ['PageUp', 'PageDown'] },
    { label: 'First or last note; in a note, its start or end', keys: ['Home', 'End'] },
  ],
  Write: [
    { label: 'Save, and stay in the form', keys: ['Ctrl+S'] },
    { label: 'Save, and close the form', keys: ['Ctrl+Enter'] },
    { label: 'Find in the text that is edited', keys: ['Ctrl+F'] },
    { label: 'Leave the text for the other fields', keys: ['F6'] },
  ],
};

const listHelpRows = (title: string, commands: readonly Command[]) => [
  ...commands.map((command) => keymap[command]),
  ...(furtherKeys[title] ?? []),
];

export const HelpAndSettingsDialog = () => (
  <Modal title={getHelpDialogTitle()} closesOnBackdrop>
    <ScrollArea label={getHelpDialogTitle()} class="help overflow-y-auto p-5 text-sm" autofocus>
      <div class="flex flex-wrap items-end gap-x-10 gap-y-4 border-b border-base-300 pb-4">
        <SettingChoice name="Theme" values={themes} chosen={theme} />
        <SettingChoice name="Rows" class="max-sm:hidden" values={densities} chosen={density} />
        <label class="keys flex items-center gap-2 text-sm touch">
          <input
            type="checkbox"
            class="checkbox checkbox-sm"
            checked={hasCharacterKeys.value}
            onChange={({ currentTarget }) => {
              hasCharacterKeys.value = currentTarget.checked;
            }}
          />
          Single-key shortcuts (those with Ctrl always work)
        </label>
      </div>
      <p class="keys mt-3">After a click, letters go to the search. Esc, an arrow or Tab makes them commands again.</p>
      <div class="keys">
        {helpSections.map(({ title, commands }) => (
          <table key={title}>
            <caption>{title}</caption>
            <tbody>
              {listHelpRows(title, commands).map(({ label, keys }) => (
                <tr key={label}>
                  <th scope="row" class="pe-4 text-start font-normal">
                    {label}
                  </th>
                  <td class="text-end">
                    <KeyList keys={keys} />
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
        <ServiceStatus />
      </p>
    </ScrollArea>
  </Modal>
);

function ServiceStatus() {
  const { value: answer } = useLoaded(() => fetchServiceState().catch(() => unreachableServiceState), []);
  return (
    <>
      {answer?.asksForToken && (
        <a class="link" href={countDrafts() === 0 ? 'sign-in' : `sign-in?drafts=${countDrafts()}`}>
          Sign out
        </a>
      )}
      <span class="muted" role="status">
        {answer?.text}
      </span>
    </>
  );
}

const unreachableServiceState = { text: 'The service does not answer', asksForToken: false };

async function fetchServiceState(): Promise<typeof unreachableServiceState> {
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

const SettingChoice = <Value extends string>({ name, class: more = '', values, chosen }: ChoiceProps<Value>) => (
  <fieldset class={`flex flex-wrap items-center gap-x-4 ${more}`}>
    <legend class="font-medium">{name}</legend>
    {values.map((value) => (
      <label key={value} class="flex items-center gap-2 capitalize touch">
        <input
          type="radio"
          name={name}
          class="radio"
          checked={chosen.value === value}
          onChange={createSetter(chosen, value)}
        />
        {value}
      </label>
    ))}
  </fieldset>
);

export function KeyList({ keys }: { keys: readonly string[] }) {
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
