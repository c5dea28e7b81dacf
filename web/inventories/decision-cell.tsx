import { Button, Text } from '@mantine/core'
import { lazy, useState } from 'react'
import type { FindingRow } from '../../worker/inventories/finding-contract'
import { useAccess } from '../session/access'
import { decisionWords, reasonWords } from '../lib/vex-words'
import { useReadOnly } from '../session/known-org'
import { LazyPart } from '../ui/lazy-part'
import { nameVuln } from '../lib/format'

const FindingDialog = lazy(() => import('./finding-dialog').then((file) => ({ default: file.FindingDialog })))

const shown = 3

/** Of a hub without the product that it speaks of, which the dialog names. */
const shorten = (author: string) => author.replace(/ on pkg:\S*$/, '')

type StatedProps = { stated: NonNullable<FindingRow['stated']> }

function Stated({ stated: { status, justification, note } }: StatedProps) {
  const word = status === 'fixed' ? 'Fixed' : justification ? 'Not affected' : 'Not interesting'
  const reason =
    status === 'fixed' ? 'The document still has this version' : justification && reasonWords[justification]
  return (
    <>
      <Text size="sm">{word}, by the status of the vulnerability</Text>
      <Text size="xs" c="dimmed">
        {[reason, note].filter(Boolean).join('; ')}
      </Text>
    </>
  )
}

export function DecisionCell({ name, finding }: { name: string; finding: FindingRow }) {
  const [isOpen, setIsOpen] = useState(false)
  const mayDecide = useAccess()('manageMetadata')
  const readOnly = useReadOnly()
  const { decision, stated, proposals, cveid, vuln_id, component } = finding
  const open = proposals.filter(({ dismissed_at }) => dismissed_at === null)
  return (
    <>
      {decision && (
        <Text size="sm">
          {decisionWords[decision.status]}
          {decision.fix && `, upgrade to ${decision.fix}`}
        </Text>
      )}
      {decision && (
        <Text size="xs" c="dimmed">
          {[
            decision.justification && reasonWords[decision.justification],
            decision.note,
            decision.owner && `Owner: ${decision.owner}`,
            decision.expires_at && `until ${decision.expires_at}`,
            decision.by && `by ${decision.by}`,
          ]
            .filter(Boolean)
            .join('; ')}
        </Text>
      )}
      {!decision && stated && <Stated stated={stated} />}
      {!decision && finding.vuln_status === 'in_progress' && (
        <Text size="sm">In progress, by the status of the vulnerability</Text>
      )}
      {!decision &&
        open.slice(0, shown).map(({ author, status }) => (
          <Text key={author} size="xs" title={author}>
            {shorten(author)} proposes: {decisionWords[status].toLowerCase()}
          </Text>
        ))}
      {!decision && open.length > shown && <Text size="xs">and {open.length - shown} more</Text>}
      {mayDecide && (
        <Button
          {...readOnly}
          size="compact-xs"
          mt={4}
          aria-label={`${decision ? 'Change the decision' : 'Decide'} on ${nameVuln(vuln_id, cveid)} in ${component}`}
          onClick={() => setIsOpen(true)}
        >
          {decision ? 'Change' : 'Decide'}
        </Button>
      )}
      {isOpen && (
        <LazyPart onLost={() => setIsOpen(false)}>
          <FindingDialog name={name} finding={finding} onClose={() => setIsOpen(false)} />
        </LazyPart>
      )}
    </>
  )
}
