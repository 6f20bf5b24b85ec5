package dev.weir.samples;

import dev.weir.Decision;
import dev.weir.Limiter;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.keyed.Dimensions;
import dev.weir.keyed.Keyed;
import dev.weir.spi.StrategySpec;
import java.time.Duration;

/*
 * Limits by URL, by IP and by user at once: a visit is granted by all three or takes nothing from any.
 *
 * Expected output:
 *
 *     /cart from 10.0.0.1 by ann: granted
 *     /cart from 10.0.0.1 by ann: granted
 *     /cart from 10.0.0.1 by ann: refused, 2 an hour
 *     /cart from 10.0.0.1 by ben: granted
 *     /shop from 10.0.0.1 by ben: refused, 3 an hour
 *     /shop from 10.0.0.2 by ben: granted
 *     /cart from 10.0.0.2 by eve: granted
 *     /cart from 10.0.0.2 by dan: refused, 4 an hour
 *     /shop from 10.0.0.2 by dan: granted
 */
public final class S03_LimitsByUrlIpUser {
    private static final String URL = "url";
    private static final String IP = "ip";
    private static final String USER = "user";

    private S03_LimitsByUrlIpUser() {}

    public static void main(String[] args) {
        Limiter site = Limiters.of("site", AllOf.of(perHour(4, URL), perHour(3, IP), perHour(2, USER)));

        visit(site, "/cart", "10.0.0.1", "ann");
        visit(site, "/cart", "10.0.0.1", "ann");
        visit(site, "/cart", "10.0.0.1", "ann");
        visit(site, "/cart", "10.0.0.1", "ben");
        visit(site, "/shop", "10.0.0.1", "ben");
        visit(site, "/shop", "10.0.0.2", "ben");
        visit(site, "/cart", "10.0.0.2", "eve");
        visit(site, "/cart", "10.0.0.2", "dan");
        visit(site, "/shop", "10.0.0.2", "dan");
    }

    private static StrategySpec perHour(long limit, String name) {
        return Keyed.of(TokenBucket.of(limit, Duration.ofHours(1)), 100_000).by(name);
    }

    private static void visit(Limiter site, String url, String ip, String user) {
        Decision decision = site.tryAcquire(Request.forKey(Dimensions.of(URL, url, IP, ip, USER, user)));
        String answer = decision instanceof Rejection refused ? "refused, " + refused.limit() + " an hour" : "granted";
        System.out.println(url + " from " + ip + " by " + user + ": " + answer);
    }
}
