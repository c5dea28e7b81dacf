import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconUpload } from '@tabler/icons-react'
import { lazy, Suspense } from 'react'

const ImportDialog = lazy(() => import('./import-dialog').then((one) => ({ default: one.ImportDialog })))

export function ImportButton() {
  const [isOpen, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button leftSection={<IconUpload size={16} aria-hidden />} onClick={open}>
        Import
      </Button>
      {isOpen && (
        <Suspense>
          <ImportDialog onClose={close} />
        </Suspense>
      )}
    </>
  )
}
