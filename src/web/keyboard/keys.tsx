/** Keys as they are drawn; those that differ in a number only are shown as a range. */
export function Keys({ keys }: { keys: readonly string[] }) {
  const shown = keys.length > 2 ? [`${keys[0]} … ${keys.at(-1)}`] : keys;
  return (
    <span class="inline-flex flex-wrap justify-end gap-1">
      {shown.map((key) => (
        <kbd key={key} class="kbd kbd-sm">
          {key}
        </kbd>
      ))}
    </span>
  );
}
