package dev.weir.samples;

import com.sun.net.httpserver.HttpExchange;
import dev.weir.Ticker;
import dev.weir.samples.Guard.Job;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.concurrent.Executors;

/**
 * A service whose every answer costs the same amount of processor, in a process of its own. Prints its port; when its input
 * ends, how its guard stands and how many it still counts inside with nobody there, and exits.
 */
final class BurningService {
    /*
     * The server's one thread reads a request and asks the guard. Whoever is refused is answered there and then, so that a
     * rejection needs no thread of the pool, for which it would queue behind the work it is to protect. Who is let in goes to
     * the pool, which has as many threads as servers usually have and a queue without end. Who is let in by way of a line is refused by the line's own threads.
     */
    static final Duration TIMEOUT = Duration.ofMillis(500);

    private static final int THREADS = 200;
    private static final int ROUNDS = 120;
    private static final byte[] BLOCK = new byte[1 << 16];

    private final Ticker ticker = Ticker.system();
    private final Guard guard;

    private BurningService(Guard guard) {
        this.guard = guard;
    }

    public static void main(String[] args) throws Exception {
        int guess = 2 * Runtime.getRuntime().availableProcessors();
        Guard guard = Guard.named(args[0], Executors.newFixedThreadPool(THREADS), guess);
        BurningService service = new BurningService(guard);
        Child.serve(service::handle, Runnable::run);
        Child.answer(guard::state);
        Waits.await(() -> guard.inside() == 0);
        System.out.println(guard.state() + "; lost=" + guard.inside());
        System.exit(0);
    }

    private void handle(HttpExchange exchange) {
        long start = ticker.read();
        guard.admit(new Job() {
            @Override
            public void run() {
                burn();
                answer(exchange, 200);
            }

            @Override
            public boolean isLate() {
                return ticker.read() - start > TIMEOUT.toNanos();
            }

            @Override
            public void refuse() {
                answer(exchange, 503);
            }
        });
    }

    private static void answer(HttpExchange exchange, int status) {
        try {
            exchange.sendResponseHeaders(status, -1);
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
}
