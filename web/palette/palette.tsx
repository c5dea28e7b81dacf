import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { DecideDialog } from '../decisions/decide-dialog'
import { ChoiceBox } from '../ui/choice-box'
import { statusQuery } from '../vulns/detail/api'
import { useOffers, type ChosenDecision } from './offers'

/** A command that needs more than a line asks for it in the dialog of decisions. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('')
  const [deciding, setDeciding] = useState<ChosenDecision>()
  const { choices, nothing } = useOffers(text, { setText, onClose, onDecide: setDeciding })
  if (deciding) return <Decide deciding={deciding} onClose={onClose} />
  return (
    <ChoiceBox
      title="Go, find or do anything"
      placeholder="A screen, a CVE, a product, or: monitor openssl 3.0.6"
      text={text}
      onType={setText}
      choices={choices}
      nothing={nothing}
      onClose={onClose}
    />
  )
}

function Decide({
  deciding: { id, label, choice, owner },
  onClose,
}: {
  deciding: ChosenDecision
  onClose: () => void
}) {
  const { data, isError } = useQuery(statusQuery(id))
  if (!data && !isError) return null
  return (
    <DecideDialog
      title={`Decide on ${label}`}
      about={{ ids: [id] }}
      given={owner ? { ...data, owner } : data}
      choice={choice}
      onClose={onClose}
    />
  )
}
