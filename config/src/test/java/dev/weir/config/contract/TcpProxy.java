package dev.weir.config.contract;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** A port before a server, that can be cut, hang, and be slow. Its threads are named {@code tcp-proxy}. Thread-safe. */
public final class TcpProxy implements AutoCloseable {
    private enum Mode {
        PASS,
        CUT,
        HANG
    }

    private final ServerSocket listening;
    private final InetSocketAddress server;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger connections = new AtomicInteger();
    private volatile Mode mode = Mode.PASS;
    private volatile long latency;
    private volatile boolean trickling;

    /** Passes all to this port on 127.0.0.1. */
    public TcpProxy(int serverPort) throws IOException {
        InetAddress loopback = InetAddress.getByName("127.0.0.1");
        server = new InetSocketAddress(loopback, serverPort);
        listening = new ServerSocket(0, 50, loopback);
        start(this::accept);
    }

    /** The port that clients connect to. */
    public int port() {
        return listening.getLocalPort();
    }

    /** How many connections clients have opened, also those that were cut. */
    public int connections() {
        return connections.get();
    }

    /** Resets all connections, and each new one. */
    public void cut() {
        mode = Mode.CUT;
        drop();
    }

    /** Keeps connections open and accepts new ones, but passes nothing on. */
    public void hang() {
        mode = Mode.HANG;
    }

    /** Delays whatever is passed on by this. */
    public void latency(Duration each) {
        latency = each.toNanos();
    }

    /** Passes on one byte at a time. */
    public void trickle() {
        trickling = true;
    }

    /** Passes all on again. Connections that hang are reset. */
    public void restore() {
        latency = 0;
        trickling = false;
        if (mode == Mode.HANG) {
            mode = Mode.CUT;
            drop();
        }
        mode = Mode.PASS;
    }

    @Override
    public void close() throws IOException {
        mode = Mode.CUT;
        listening.close();
        drop();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket client = listening.accept();
                connections.incrementAndGet();
                open.add(client);
                start(() -> connect(client));
            } catch (IOException closed) {
                // Asks whether it is closed.
            }
        }
    }

    private void connect(Socket client) {
        Socket upstream = new Socket();
        open.add(upstream);
        try {
            if (mode == Mode.CUT) {
                throw new IOException("cut");
            }
            upstream.connect(server);
            start(() -> pass(upstream, client));
            pass(client, upstream);
        } catch (IOException e) {
            reset(client);
            reset(upstream);
        }
    }

    private void pass(Socket from, Socket to) {
        byte[] buffer = new byte[8192];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            to.setTcpNoDelay(true);
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                hold(to);
                int step = trickling ? 1 : n;
                for (int i = 0; i < n; i += step) {
                    out.write(buffer, i, Math.min(step, n - i));
                }
            }
        } catch (IOException e) {
            // One side is gone.
        }
        reset(from);
        reset(to);
    }

    private void hold(Socket to) {
        if (latency > 0) {
            LockSupport.parkNanos(latency);
        }
        while (mode == Mode.HANG && !to.isClosed()) {
            LockSupport.parkNanos(2_000_000);
        }
    }

    private void drop() {
        open.forEach(this::reset);
    }

    private void reset(Socket socket) {
        open.remove(socket);
        try {
            if (mode == Mode.CUT) {
                socket.setSoLinger(true, 0);
            }
            socket.close();
        } catch (IOException e) {
            // It is closed.
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "tcp-proxy");
        thread.setDaemon(true);
        thread.start();
    }
}
