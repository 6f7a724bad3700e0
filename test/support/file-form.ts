/** A form as clients post it: the fields, then the file. */
export function fileForm(fields: Readonly<Record<string, string>>, file: File | string | null): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  if (file !== null) form.append('file', file);
  return form;
}
