import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { lazy, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { useSession } from '../../session/session'
import { useReadOnly } from '../../session/known-org'
import { LazyPart } from '../../ui/lazy-part'

const VulnDialog = lazy(() => import('./vuln-dialog').then((file) => ({ default: file.VulnDialog })))

/** A flag that the profile lacks counts as not allowed. */
export function AddVulnButton() {
  const navigate = useNavigate()
  const readOnly = useReadOnly()
  const { user } = useSession()
  const [isOpen, setOpen] = useState(false)
  if (!user?.is_admin && !user?.profile.manage_metadata) return null
  return (
    <>
      <Button {...readOnly} leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpen(true)}>
        Add
      </Button>
      {isOpen && (
        <LazyPart onLost={() => setOpen(false)}>
          <VulnDialog onClose={() => setOpen(false)} onSaved={(id) => void navigate(`/vulns/${id}`)} />
        </LazyPart>
      )}
    </>
  )
}
