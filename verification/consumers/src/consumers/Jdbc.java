package consumers;

import dev.weir.Decision;
import dev.weir.Request;
import dev.weir.algorithms.FixedWindow;
import dev.weir.jdbc.JdbcStore;
import dev.weir.store.StoreRateLimiter;
import dev.weir.store.WhenAway;
import dev.weir.store.rates.StateLimits;
import java.time.Duration;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;

/** A limit that an H2 in this process counts for two instances. */
public final class Jdbc {
    private static final int LIMIT = 10;

    private Jdbc() {}

    public static void main(String[] args) {
        JdbcDataSource database = new JdbcDataSource();
        database.setUrl("jdbc:h2:mem:" + args[0] + ";DB_CLOSE_DELAY=-1");
        int granted = granted(database, args[0]);
        Check.expect(true, granted > 0 && granted <= LIMIT);
        Check.expect(0, granted(database, args[0]));
    }

    /* Of an instance that asks until it is refused. The first has used up the limit, so the second gets nothing. */
    private static int granted(DataSource database, String name) {
        try (JdbcStore store = JdbcStore.builder(database).createTable().build();
                StoreRateLimiter searches = new StateLimits(store)
                        .limiter(
                                name,
                                FixedWindow.of(LIMIT, Duration.ofHours(1)),
                                WhenAway.closed(),
                                options -> options.timeout(Duration.ofSeconds(30)))) {
            store.ping().toCompletableFuture().join();
            return Check.granted(() -> acquire(searches));
        }
    }

    private static Decision acquire(StoreRateLimiter searches) {
        try {
            return searches.acquire(Request.forKey("ann"), Duration.ZERO);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
