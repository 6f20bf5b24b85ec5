package dev.weir.benchmarks.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * A relay of connections to a port of this machine that holds all bytes for the same time, each way. One thread reads all
 * connections, another one writes: since the time is the same for all, what was read first is due first.
 */
final class DelayedNetwork implements AutoCloseable {
    private static final int READ = 1 << 16;

    private final InetSocketAddress server;
    private final long nanos;
    private final Selector selector;
    private final ServerSocketChannel listening;
    private final BlockingQueue<Due> due = new LinkedBlockingQueue<>();
    private final Thread reader = new Thread(this::read, "delayed-network-reader");
    private final Thread writer = new Thread(this::write, "delayed-network-writer");
    private volatile boolean closed;

    /** Bytes that were read; none, if their connection has ended. */
    private record Due(long at, SocketChannel to, ByteBuffer bytes) {}

    private DelayedNetwork(int port, long nanos) throws IOException {
        server = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        this.nanos = nanos;
        selector = Selector.open();
        listening = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        listening.configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT);
    }

    /**
     * A running relay to this port.
     *
     * @param nanos for which bytes are held, each way
     */
    static DelayedNetwork to(int port, long nanos) {
        try {
            DelayedNetwork network = new DelayedNetwork(port, nanos);
            for (Thread thread : new Thread[] {network.reader, network.writer}) {
                thread.setDaemon(true);
                thread.start();
            }
            return network;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The port that relays. */
    int port() {
        return listening.socket().getLocalPort();
    }

    private void read() {
        try {
            while (!closed) {
                selector.select();
                for (SelectionKey key : selector.selectedKeys()) {
                    if (!key.isValid()) {
                        continue;
                    }
                    if (key.isAcceptable()) {
                        accept();
                    } else {
                        read(key);
                    }
                }
                selector.selectedKeys().clear();
            }
        } catch (IOException | ClosedSelectorException | CancelledKeyException e) {
            // It was closed, or the server has ended.
            closed = true;
        }
    }

    private void accept() throws IOException {
        SocketChannel client = listening.accept();
        if (client == null) {
            return;
        }
        SocketChannel store = SocketChannel.open(server);
        register(client, store);
        register(store, client);
    }

    private void register(SocketChannel from, SocketChannel to) throws IOException {
        from.setOption(StandardSocketOptions.TCP_NODELAY, true).configureBlocking(false);
        from.register(selector, SelectionKey.OP_READ, to);
    }

    private void read(SelectionKey key) {
        SocketChannel from = (SocketChannel) key.channel();
        SocketChannel to = (SocketChannel) key.attachment();
        ByteBuffer bytes = ByteBuffer.allocate(READ);
        boolean ended;
        try {
            ended = from.read(bytes) < 0;
        } catch (IOException e) {
            ended = true;
        }
        if (ended) {
            key.cancel();
        }
        due.add(new Due(System.nanoTime() + nanos, to, bytes.flip()));
    }

    private void write() {
        try {
            while (!closed) {
                Due next = due.take();
                for (long left = nanos; left > 0; left = next.at - System.nanoTime()) {
                    LockSupport.parkNanos(Math.min(left, Math.max(0, next.at - System.nanoTime())));
                }
                write(next);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void write(Due next) {
        try {
            if (!next.bytes.hasRemaining()) {
                next.to.close();
            }
            while (next.bytes.hasRemaining()) {
                next.to.write(next.bytes);
            }
        } catch (IOException e) {
            // The other end is closed; the reader hears of it.
            next.bytes.clear();
        }
    }

    /** Closes all connections. */
    @Override
    public void close() {
        closed = true;
        writer.interrupt();
        try {
            for (SelectionKey key : selector.keys()) {
                key.channel().close();
            }
            selector.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
