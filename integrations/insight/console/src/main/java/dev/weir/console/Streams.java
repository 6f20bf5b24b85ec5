package dev.weir.console;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.sun.net.httpserver.HttpExchange;
import dev.weir.console.Board.Told;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The streams of events to pages, eight at most, each written by a thread of its own, which another one replaces meanwhile: a
 * page that reads nothing holds its own stream, and not for long. Thread-safe.
 */
final class Streams implements AutoCloseable {
    static final int MOST = 8;

    private static final int BOX = 4;
    private static final long HEARTBEAT_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final byte[] HEARTBEAT = ":\n\n".getBytes(StandardCharsets.US_ASCII);
    private static final Frame BEHIND = new Frame(0, HEARTBEAT);
    private static final byte[] RETRY = "retry: 2000\n\n".getBytes(StandardCharsets.US_ASCII);

    private final Board board;
    private final Watch watch;
    private final long frameNanos;
    private final Semaphore free = new Semaphore(MOST);
    private final List<Stream> open = new CopyOnWriteArrayList<>();
    private volatile boolean closed;

    /** Streams of this board; one whose frame is not written within this time ends. */
    Streams(Board board, Watch watch, long frameNanos) {
        this.board = board;
        this.watch = watch;
        this.frameNanos = frameNanos;
    }

    /** The news of one sample, as they are written. */
    private static final class Frame {
        private final long id;
        private final byte[] bytes;

        private Frame(long id, byte[] bytes) {
            this.id = id;
            this.bytes = bytes;
        }

        static Frame of(Told told) {
            String event = told.isWhole() ? "whole" : "tick";
            String text = "id: " + told.id() + "\nevent: " + event + "\ndata: " + told.json() + "\n\n";
            return new Frame(told.id(), text.getBytes(StandardCharsets.US_ASCII));
        }
    }

    /**
     * Answers with a stream until the page has gone, on the calling thread; false if there are too many. It asks before each frame, at
     * least every 10 seconds, whether the page may still see it. Ends with an exception always: the server forgets a connection whose
     * handler throws, and no other that breaks.
     */
    boolean serve(HttpExchange exchange, Sampling sampling, RequestThreads threads, BooleanSupplier isAllowed)
            throws IOException {
        if (closed || !free.tryAcquire()) {
            return false;
        }
        String name = Thread.currentThread().getName();
        threads.replaced(true);
        Stream stream = new Stream();
        try {
            Thread.currentThread().setName("weir-console-stream");
            open.add(stream);
            stream.write(exchange, sampling, isAllowed);
        } catch (InterruptedException e) {
            throw new InterruptedIOException("the console is closed, or the page reads nothing");
        } finally {
            open.remove(stream);
            stream.end.countDown();
            threads.replaced(false);
            free.release();
            Thread.currentThread().setName(name);
            Thread.currentThread().interrupt(); // whatever is left to write must not wait
        }
        throw new EOFException("the stream has ended");
    }

    /** Puts what is new into the box of each stream; never waits for one. */
    void publish(Told news) {
        Frame frame = Frame.of(news);
        open.forEach(stream -> stream.put(frame));
    }

    /** Ends all streams. */
    @Override
    public void close() {
        closed = true;
        open.forEach(Stream::interrupt);
    }

    /** Waits until all streams have ended, for a second each at most. */
    void awaitEnd() throws InterruptedException {
        for (Stream stream : open) {
            boolean unused = stream.end.await(1, TimeUnit.SECONDS);
        }
    }

    private final class Stream {
        /*
         * The sampler puts frames into a box of four. If it is full, they are all lost, and the page gets the whole board in their
         * place. A frame of a sample that the page has had with a whole board is left out.
         */
        private final Thread thread = Thread.currentThread();
        private final CountDownLatch end = new CountDownLatch(1);
        private final Deque<Frame> box = new ArrayDeque<>(BOX);

        @GuardedBy("box")
        private boolean isBehind;

        private long sent = Long.MIN_VALUE;

        /* Its thread goes on with other work. */
        void interrupt() {
            if (open.contains(this)) {
                thread.interrupt();
            }
        }

        void put(Frame frame) {
            synchronized (box) {
                if (box.size() == BOX) {
                    box.clear();
                    isBehind = true;
                } else if (!isBehind) {
                    box.addLast(frame);
                }
                box.notifyAll();
            }
        }

        void write(HttpExchange exchange, Sampling sampling, BooleanSupplier isAllowed)
                throws IOException, InterruptedException {
            try {
                sampling.open();
                exchange.sendResponseHeaders(200, 0);
                OutputStream out = exchange.getResponseBody();
                write(out, RETRY);
                write(out, whole());
                for (byte[] news = next(); !closed && isAllowed.getAsBoolean(); news = next()) {
                    write(out, news);
                }
            } finally {
                sampling.closeOne();
            }
        }

        private void write(OutputStream out, byte[] bytes) throws IOException {
            Watch.Limit limit = watch.limit(frameNanos);
            try {
                out.write(bytes);
                out.flush();
            } finally {
                limit.close();
            }
        }

        private byte[] whole() {
            Frame frame = Frame.of(board.whole());
            sent = frame.id;
            return frame.bytes;
        }

        private byte[] next() throws InterruptedException {
            while (true) {
                Frame frame = take();
                if (frame == null) {
                    return HEARTBEAT;
                } else if (frame == BEHIND) {
                    return whole();
                } else if (frame.id > sent) {
                    sent = frame.id;
                    return frame.bytes;
                }
            }
        }

        /* Null = there was none for a while. */
        private @Nullable Frame take() throws InterruptedException {
            synchronized (box) {
                if (box.isEmpty() && !isBehind) {
                    TimeUnit.NANOSECONDS.timedWait(box, HEARTBEAT_NANOS);
                }
                if (isBehind) {
                    isBehind = false;
                    return BEHIND;
                }
                return box.pollFirst();
            }
        }
    }
}
