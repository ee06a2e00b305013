/** Renders keys; keys that differ only in a number are shown as a range. */
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
