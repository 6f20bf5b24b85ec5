package consumers.modular;

import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.algorithms.FixedWindow;
import dev.weir.jdbc.JdbcStore;
import dev.weir.store.StoreRateLimiter;
import dev.weir.store.WhenAway;
import dev.weir.store.rates.StateLimits;
import java.time.Duration;
import org.h2.jdbcx.JdbcDataSource;

/** Weir on the module path: a limit that an H2 in this process counts. */
public final class Databases {
    private Databases() {}

    public static void main(String[] args) throws Exception {
        JdbcDataSource database = new JdbcDataSource();
        database.setUrl("jdbc:h2:mem:modular;DB_CLOSE_DELAY=-1");
        try (JdbcStore store = JdbcStore.builder(database).createTable().build();
                StoreRateLimiter searches = new StateLimits(store)
                        .limiter(
                                "search",
                                FixedWindow.of(1, Duration.ofHours(1)),
                                WhenAway.closed(),
                                options -> options.timeout(Duration.ofSeconds(30)))) {
            store.ping().toCompletableFuture().join();
            if (!(searches.acquire(Request.forKey("ann"), Duration.ZERO) instanceof Permit)
                    || !(searches.acquire(Request.forKey("ann"), Duration.ZERO) instanceof Rejection)) {
                throw new IllegalStateException("Weir decides otherwise");
            }
        }
    }
}
