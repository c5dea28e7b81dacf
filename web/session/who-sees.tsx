import { NativeSelect } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { Scope } from '../../worker/domain/words/exploit'
import { useSession } from './session'

type Props<Values extends { scope: Scope }> = {
  form: UseFormReturnType<Values>
  canShare: boolean
  publicNote: string
  privateNote: string
}

/** Audience of a new row. Only a global admin chooses. */
export function WhoSees<Values extends { scope: Scope }>({ form, canShare, publicNote, privateNote }: Props<Values>) {
  const { org } = useSession()
  const organization = { value: 'private', label: `Only the organization ${org?.name ?? ''}` }
  const all = { value: 'public', label: 'Everybody' }
  const shown = form.getValues().scope === 'public' ? all : organization
  return (
    <NativeSelect
      label="Who sees it"
      description={shown === all ? publicNote : privateNote}
      data={canShare ? [organization, all] : [shown]}
      disabled={!canShare}
      {...form.getInputProps('scope')}
    />
  )
}
