package dev.weir.samples;

import dev.weir.Ticker;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Callers who come by a schedule drawn beforehand, whether or not the others were answered, and hang up when their timeout
 * ends. One thread and plain sockets that are used again, for the callers share the processors with the service. Latency
 * runs from the scheduled instant. Not thread-safe.
 */
final class Callers implements AutoCloseable {
    private static final byte[] REQUEST =
            "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int MAX_CONNECTIONS = 2000;

    private final Ticker ticker = Ticker.system();
    private final SplittableRandom random = new SplittableRandom(1);
    private final Selector selector = Selector.open();
    private final Deque<Connection> idle = new ArrayDeque<>();
    private final Deque<Call> out = new ArrayDeque<>();
    private final InetSocketAddress service;
    private final long timeout;
    private Tally tally = new Tally(0);

    Callers(int port, Duration timeout) throws IOException {
        this.service = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        this.timeout = timeout.toNanos();
    }

    /** A connection. */
    private static final class Connection {
        final SocketChannel channel;
        final ByteBuffer answer = ByteBuffer.allocate(1024);
        Call call = new Call(this, 0);

        Connection(SocketChannel channel) {
            this.channel = channel;
        }
    }

    private static final class Call {
        final Connection connection;
        final long due;
        boolean over;

        Call(Connection connection, long due) {
            this.connection = connection;
            this.due = due;
        }
    }

    /** The outcomes of the calls, by the second that they were due in. */
    static final class Tally {
        final int[] good;
        private final List<Answered> answered = new ArrayList<>();
        int sent;
        int refused;
        int late;
        int failed;

        private record Answered(int second, long nanos) {}

        Tally(int seconds) {
            good = new int[seconds];
        }

        private void answered(int second, long nanos) {
            good[second]++;
            answered.add(new Answered(second, nanos));
        }

        int allGood() {
            return Arrays.stream(good).sum();
        }

        double goodPerSecond() {
            return (double) allGood() / good.length;
        }

        /** In milliseconds, of what was answered in time; NaN of nothing. */
        double quantile(double share) {
            return quantile(share, 0, good.length);
        }

        double quantile(double share, int from, int to) {
            long[] all = answered.stream()
                    .filter(each -> each.second >= from && each.second < to)
                    .mapToLong(Answered::nanos)
                    .sorted()
                    .toArray();
            return all.length == 0
                    ? Double.NaN
                    : all[(int) Math.min(all.length - 1, (long) (share * all.length))] / 1e6;
        }
    }

    Tally call(double perSecond, int seconds) throws IOException {
        tally = new Tally(seconds);
        long start = ticker.read();
        long end = TimeUnit.SECONDS.toNanos(seconds);
        long due = gap(perSecond);
        while (due < end || !out.isEmpty()) {
            long now = ticker.read() - start;
            for (; due <= now && due < end; due += gap(perSecond)) {
                send(start + due);
            }
            hangUp(start + now);
            long next = due < end ? due : end + timeout;
            if (!out.isEmpty()) {
                next = Math.min(next, out.peekFirst().due + timeout - start);
            }
            listen(next - (ticker.read() - start), start);
        }
        return tally;
    }

    private long gap(double perSecond) {
        return (long) (random.nextExponential() * 1e9 / perSecond);
    }

    private void send(long due) {
        tally.sent++;
        try {
            Connection connection = idle.isEmpty() ? open() : idle.pop();
            connection.call = new Call(connection, due);
            connection.answer.clear();
            out.addLast(connection.call);
            connection.channel.write(ByteBuffer.wrap(REQUEST));
        } catch (IOException e) {
            tally.failed++;
        }
    }

    private Connection open() throws IOException {
        if (selector.keys().size() >= MAX_CONNECTIONS) {
            throw new IOException("too many connections");
        }
        Connection connection = new Connection(SocketChannel.open(service));
        connection.channel.configureBlocking(false);
        connection.channel.register(selector, SelectionKey.OP_READ, connection);
        return connection;
    }

    private void hangUp(long now) throws IOException {
        for (Call first = out.peekFirst();
                first != null && (first.over || now - first.due >= timeout);
                first = out.peekFirst()) {
            out.removeFirst();
            if (!first.over) {
                first.over = true;
                tally.late++;
                first.connection.channel.close();
            }
        }
    }

    private void listen(long nanos, long start) throws IOException {
        if (nanos >= 1_000_000) {
            selector.select(nanos / 1_000_000);
        } else {
            LockSupport.parkNanos(Math.min(nanos, 200_000));
            selector.selectNow();
        }
        for (SelectionKey key : selector.selectedKeys()) {
            if (key.isValid()) {
                read((Connection) key.attachment(), start);
            }
        }
        selector.selectedKeys().clear();
    }

    private void read(Connection connection, long start) throws IOException {
        boolean ended;
        try {
            ended = connection.channel.read(connection.answer) < 0;
        } catch (IOException reset) {
            ended = true;
        }
        Call call = connection.call;
        if (ended) {
            connection.channel.close();
            if (!idle.remove(connection) && !call.over) {
                call.over = true;
                tally.failed++;
            }
        } else if (!call.over && complete(connection.answer)) {
            call.over = true;
            idle.push(connection);
            if (connection.answer.get("HTTP/1.1 ".length()) == '2') {
                tally.answered((int) ((call.due - start) / 1_000_000_000), ticker.read() - call.due);
            } else {
                tally.refused++;
            }
        }
    }

    /* The answers have no body. */
    private static boolean complete(ByteBuffer answer) {
        int end = answer.position();
        return end > 16 && answer.get(end - 1) == '\n' && answer.get(end - 3) == '\n';
    }

    @Override
    public void close() throws IOException {
        for (SelectionKey key : selector.keys()) {
            key.channel().close();
        }
        selector.close();
    }
}
