import type { ButtonVariant } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconUpload } from '@tabler/icons-react'
import { lazy } from 'react'
import { LazyPart } from '../ui/lazy-part'
import { WriteButton } from '../session/write-button'

const ImportDialog = lazy(() => import('./import-dialog').then((file) => ({ default: file.ImportDialog })))

type Props = { label?: string; variant?: ButtonVariant }

export function ImportButton({ label = 'Import', variant = 'filled' }: Props) {
  const [isOpen, { open, close }] = useDisclosure(false)
  return (
    <>
      <WriteButton variant={variant} leftSection={<IconUpload size={16} aria-hidden />} onClick={open}>
        {label}
      </WriteButton>
      {isOpen && (
        <LazyPart onLost={close}>
          <ImportDialog onClose={close} />
        </LazyPart>
      )}
    </>
  )
}
