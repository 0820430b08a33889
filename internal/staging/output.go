package staging

import (
	"cmp"
	"os"
	"sync"
)

// Output is a file under construction.
type Output struct {
	transaction *Transaction
	name        string
	file        *os.File

	mu     sync.Mutex
	closed bool
	entry  Entry // once it is closed
}

// Write implements io.Writer.
func (o *Output) Write(p []byte) (int, error) {
	if err := o.transaction.disk.fault("write", o.name); err != nil {
		n, _ := o.file.Write(p[:len(p)/2]) // as a full disk does
		return n, err
	}
	return o.file.Write(p)
}

// Seek implements io.Seeker.
func (o *Output) Seek(offset int64, whence int) (int64, error) { return o.file.Seek(offset, whence) }

// Close ends the file. It goes to the disk while other files are being written; Commit waits for it, and tells if it
// did not get there. Closing twice does nothing.
func (o *Output) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil
	}
	o.closed = true
	info, err := o.file.Stat()
	if err != nil {
		_ = o.file.Close() // thrown away
		return o.transaction.failed(o.name, err)
	}
	o.entry = Entry{o.name, info.Size(), info.ModTime().UnixNano()}
	o.transaction.pending.Go(o.settle)
	return nil
}

// settle brings the file to the disk.
func (o *Output) settle() error {
	defer o.transaction.options.Timeline.Begin("sync " + o.name)()
	d := o.transaction.disk
	if err := cmp.Or(d.do("sync", o.name, o.file.Sync), d.closeFile(o.file, o.name)); err != nil {
		return o.transaction.failed(o.name, err)
	}
	return nil
}

// discard closes a file that nobody wants any more.
func (o *Output) discard() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.closed = true
		_ = o.file.Close() // thrown away
	}
}
