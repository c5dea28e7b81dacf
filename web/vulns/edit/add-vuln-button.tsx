import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { useSession } from '../../session/session'

const VulnDialog = lazy(() => import('./vuln-dialog').then((file) => ({ default: file.VulnDialog })))

/** A flag that the profile lacks counts as not allowed. */
export function AddVulnButton() {
  const navigate = useNavigate()
  const { user } = useSession()
  const [isOpen, setOpen] = useState(false)
  if (!user?.is_admin && !user?.profile.manage_metadata) return null
  return (
    <>
      <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpen(true)}>
        Add
      </Button>
      {isOpen && (
        <Suspense>
          <VulnDialog onClose={() => setOpen(false)} onSaved={(id) => void navigate(`/vulns/${id}`)} />
        </Suspense>
      )}
    </>
  )
}
