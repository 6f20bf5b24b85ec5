package dev.weir.samples;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.weir.Ticker;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The service that a guarded application calls under a permit, and that counts the calls at work in a ledger. Thread-safe. */
final class Warehouse implements AutoCloseable {
    private static final byte[] STOCK = "7 left\n".getBytes(StandardCharsets.UTF_8);

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Ticker ticker = Ticker.system();
    private final Ledger ledger;
    private final HttpServer server;
    private volatile CountDownLatch shut = new CountDownLatch(0);

    Warehouse(Ledger ledger) throws IOException {
        this.ledger = ledger;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1024);
        server.setExecutor(threads);
        server.createContext("/stock", this::answer);
        server.start();
    }

    String address() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /* Counted after the permit was granted, and no longer before it is returned. */
    private void answer(HttpExchange exchange) throws IOException {
        long start = ticker.read();
        ledger.admitted(ledger.bound());
        try (exchange) {
            work();
            ledger.leaving(ticker.read() - start);
            exchange.sendResponseHeaders(200, STOCK.length);
            exchange.getResponseBody().write(STOCK);
        }
    }

    private void work() {
        CountDownLatch open = shut;
        if (open.getCount() == 0) {
            LockSupport.parkNanos(
                    TimeUnit.MILLISECONDS.toNanos(ThreadLocalRandom.current().nextLong(80, 180)));
            return;
        }
        try {
            open.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Answers no call from now on until {@link #open}. */
    void shut() {
        shut = new CountDownLatch(1);
    }

    /** Answers all calls. */
    void open() {
        shut.countDown();
    }

    @Override
    public void close() {
        open();
        server.stop(0);
        threads.shutdown();
    }
}
