package dev.weir.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.config.LimiterRegistry;
import dev.weir.console.ConsoleClient.Response;
import dev.weir.testkit.VirtualTime;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.text.MessageFormat;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who comes in, how often somebody may try, and what is over with the session. */
class LoginsTest {
    private static final String WRONG = "{\"token\":\"of another console\"}";

    private final VirtualTime time = new VirtualTime();
    private final LimiterRegistry registry =
            LimiterRegistry.builder().ticker(time).build();
    private final List<String> log = new CopyOnWriteArrayList<>();
    private final Logger logger = Logger.getLogger(Logins.class.getName());
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            log.add(MessageFormat.format(line.getMessage(), line.getParameters()));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };
    private Console console;
    private ConsoleClient page;

    @BeforeEach
    void start() {
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
        Console.Builder builder = Console.builder(registry);
        builder.pages.ticker = time;
        console = builder.start();
        page = new ConsoleClient(console.uri());
    }

    @AfterEach
    void close() {
        console.close();
        registry.close();
        logger.removeHandler(handler);
        logger.setUseParentHandlers(true);
    }

    private void wrong(int times, int status) throws Exception {
        for (int i = 0; i < times; i++) {
            assertEquals(status, page.post("api/session", WRONG).status());
        }
    }

    @Test
    void twentyWrongTokensAMinuteAreCheckedAndOneIsLogged() throws Exception {
        for (int i = 0; i < 30; i++) {
            page.login(console.tokenFile());
        }
        assertEquals(List.of(), log);
        wrong(20, 401);
        Response tooMany = page.post("api/session", WRONG);
        assertEquals(429, tooMany.status());
        assertEquals("61", tooMany.headers().get("retry-after"));
        assertEquals("read", page.get("api/session").field("access"));
        assertEquals(1, log.size());
        assertTrue(log.get(0).contains("from 127.0.0.1;"), log::toString);
        assertFalse(log.get(0).contains("another console"));
        time.advance(Duration.ofMinutes(1));
        wrong(20, 401);
        wrong(1, 429);
        assertEquals(2, log.size());
        time.advance(Duration.ofMinutes(1));
        assertEquals("read", page.login(console.tokenFile()).get("api/session").field("access"));
    }

    @Test
    void aStreamEndsWithItsSession() throws Exception {
        page.login(console.tokenFile());
        try (Socket socket = page.connect()) {
            socket.getOutputStream()
                    .write(ConsoleClient.head("GET", "api/stream", page.headers())
                            .getBytes(StandardCharsets.US_ASCII));
            BufferedReader lines =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            String first = lines.readLine();
            assertTrue(first.contains(" 200 "), first);
            time.advance(Duration.ofHours(12).plusNanos(1));
            int heartbeats = 0;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                heartbeats += line.equals(":") ? 1 : 0;
                assertTrue(heartbeats < 3, line);
            }
            assertEquals(401, page.get("api/rows").status());
        }
    }
}
