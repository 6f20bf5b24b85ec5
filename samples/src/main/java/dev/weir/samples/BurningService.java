package dev.weir.samples;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.weir.Ticker;
import dev.weir.samples.Guard.Exit;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/**
 * A service whose every answer costs the same amount of processor, in a process of its own. Prints its port; when its input
 * ends, how its guard stands and how many it still counts inside with nobody there, and exits.
 */
final class BurningService {
    /*
     * The server's one thread reads a request and asks the guard. Whoever is refused is answered there and then, so that a
     * refusal needs no thread of the pool, for which it would queue behind the work it is to protect. Who is let in goes to
     * the pool, which has as many threads as servers usually have and a queue without end.
     */
    static final Duration PATIENCE = Duration.ofMillis(500);

    private static final int THREADS = 200;
    private static final int ROUNDS = 120;
    private static final byte[] BLOCK = new byte[1 << 16];

    private final Ticker ticker = Ticker.system();
    private final ExecutorService pool = Executors.newFixedThreadPool(THREADS);
    private final Guard guard;

    private BurningService(Guard guard) {
        this.guard = guard;
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        System.setProperty("sun.net.httpserver.maxIdleConnections", "2000");
        Guard guard = Guard.named(args[0]);
        BurningService service = new BurningService(guard);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1024);
        server.createContext("/", service::handle);
        server.start();
        System.out.println(server.getAddress().getPort());
        while (System.in.read() >= 0) {
            // nothing is expected
        }
        service.waitUntilEmpty();
        System.out.println(guard.state() + "; lost=" + guard.inside());
        System.exit(0);
    }

    private void handle(HttpExchange exchange) throws IOException {
        Exit exit = guard.enter();
        if (exit == null) {
            exchange.sendResponseHeaders(503, -1);
            return;
        }
        long start = ticker.read();
        pool.execute(() -> {
            boolean late = true;
            try {
                burn();
                late = ticker.read() - start > PATIENCE.toNanos();
            } finally {
                exit.leave(late);
            }
            answer(exchange);
        });
    }

    private static void answer(HttpExchange exchange) {
        try {
            exchange.sendResponseHeaders(200, -1);
        } catch (IOException gaveUp) {
            exchange.close();
        }
    }

    /** So many rounds, however long they take. */
    private static void burn() {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (int i = 0; i < ROUNDS; i++) {
                digest.update(BLOCK);
            }
            if (digest.digest().length != 32) {
                throw new AssertionError();
            }
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private void waitUntilEmpty() {
        long start = ticker.read();
        while (guard.inside() > 0 && ticker.read() - start < 5_000_000_000L) {
            LockSupport.parkNanos(10_000_000);
        }
    }
}
