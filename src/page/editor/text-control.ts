/** The control of a text in a form: the editor of the content, or a text area. */
import { type ClassAttributes, type HTMLAttributes, h, type VNode } from 'preact';
import type { Note } from '../../core/note.ts';
import type { ContentEditor } from './content-editor.ts';

export type TextControl = HTMLTextAreaElement | ContentEditor;

const isMultilineTextControl = (control: unknown): control is TextControl =>
  control instanceof HTMLElement && /^(?:textarea|content-editor)$/.test(control.localName);

export function findTextControl(form: HTMLFormElement | null, name: 'title' | 'content'): TextControl | undefined {
  const control = form?.elements.namedItem(name);
  return isMultilineTextControl(control) ? control : undefined;
}

type EditorAttributes = ClassAttributes<ContentEditor> &
  HTMLAttributes<ContentEditor> & {
    readonly name: string;
    readonly category: Note['category'];
    readonly defaultValue: string;
  };

/** The types of JSX do not know the element. */
export const createContentEditor = (attributes: EditorAttributes): VNode<EditorAttributes> =>
  h('content-editor', attributes);
