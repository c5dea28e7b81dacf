import { IconPlus } from '@tabler/icons-react'
import { lazy, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { useSession } from '../../session/session'
import { LazyPart } from '../../ui/lazy-part'
import { WriteButton } from '../../session/write-button'

const VulnDialog = lazy(() => import('./vuln-dialog').then((file) => ({ default: file.VulnDialog })))

/** A flag that the profile lacks counts as not allowed. */
export function AddVulnButton() {
  const navigate = useNavigate()
  const { user } = useSession()
  const [isOpen, setOpen] = useState(false)
  if (!user?.is_admin && !user?.profile.manage_metadata) return null
  return (
    <>
      <WriteButton variant="filled" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpen(true)}>
        Add
      </WriteButton>
      {isOpen && (
        <LazyPart onLost={() => setOpen(false)}>
          <VulnDialog onClose={() => setOpen(false)} onSaved={(id) => void navigate(`/vulns/${id}`)} />
        </LazyPart>
      )}
    </>
  )
}
