import type { UseFormReturnType } from '@mantine/form'
import { useMutation, type UseMutationOptions } from '@tanstack/react-query'
import { formErrors } from './form-rules'

type Form = { setErrors: (errors: Record<string, string>) => void }

/** The change that a dialog makes: when it is made the dialog closes, and mistakes are shown at the fields of its form. */
export function useSaving<Answer, Given, Result>(
  change: UseMutationOptions<Answer, Error, Given, Result>,
  onSaved?: (answer: Answer) => void,
  form?: Form,
) {
  const { isPending, error, data, mutate } = useMutation(change)
  const save = (given: Given) =>
    mutate(given, {
      onSuccess: (answer) => onSaved?.(answer),
      onError: (failure) => form?.setErrors(formErrors(failure)),
    })
  return { isPending, error, data, save }
}

type Kept<Values> = Record<'setInitialValues' | 'setValues' | 'resetDirty', (values: Values) => void>

/** A form that stays open shows what was saved. */
export function keepSaved<Values>(form: Kept<Values>, saved: Values) {
  form.setInitialValues(saved)
  form.setValues(saved)
  form.resetDirty(saved)
}

type Edited<Item> = { before: Item[]; after: Item[] }

/** A list as it is now, with what was added and taken away here: others' changes of meanwhile stay. */
export const joinEdited = <Item>(now: Item[], { before, after }: Edited<Item>) => [
  ...now.filter((one) => after.includes(one) || !before.includes(one)),
  ...after.filter((one) => !before.includes(one) && !now.includes(one)),
]

/** The fields that were changed here: others stay as a colleague, or another tab, has set them meanwhile. */
export const pickChanged = <Values extends object>(form: Pick<UseFormReturnType<Values>, 'isDirty'>, values: Values) =>
  // The type of Object.fromEntries does not keep the keys.
  Object.fromEntries(Object.entries(values).filter(([name]) => form.isDirty(name))) as Partial<Values>
