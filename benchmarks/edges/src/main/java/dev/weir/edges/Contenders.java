package dev.weir.edges;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import com.github.benmanes.caffeine.jcache.spi.CaffeineCachingProvider;
import dev.weir.config.LimiterRegistry;
import dev.weir.config.source.ResourceSource;
import dev.weir.http.Route;
import dev.weir.http.Routes;
import dev.weir.servlet.WeirFilter;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.ConsumptionProbe;
import io.github.resilience4j.bulkhead.annotation.Bulkhead;
import io.github.resilience4j.ratelimiter.annotation.RateLimiter;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.cache.CacheManager;
import javax.cache.Caching;
import javax.cache.configuration.MutableConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;

/** The servers that are compared. No limit of theirs refuses. */
final class Contenders {
    static final String BARE = "no limit";
    static final String WEIR = "Weir";

    private static final long PLENTY = 1_000_000_000;
    private static final Duration SECOND = Duration.ofSeconds(1);

    private Contenders() {}

    static List<Contender> all() {
        List<Contender> all = new ArrayList<>();
        all.add(new Contender(BARE, null, false, context -> context.registerBean(Work.class, Work.Plain::new), Map.of()));
        for (boolean fields : new boolean[] {false, true}) {
            for (Limit limit : Limit.values()) {
                all.add(filter(WEIR, limit, fields, () -> weir(limit, fields)));
            }
            all.add(filter("Bucket4j, a filter of ten lines", Limit.RATE, fields, () -> {
                Bucket bucket = bucket();
                return tenLines(request -> bucket, fields);
            }));
            all.add(filter("Bucket4j, a filter of ten lines", Limit.ADDRESS, fields, () -> {
                LoadingCache<String, Bucket> buckets =
                        Caffeine.newBuilder().maximumSize(10_000).build(address -> bucket());
                return tenLines(request -> buckets.get(request.getRemoteAddr()), fields);
            }));
            all.add(bucket4jStarter(Limit.RATE, fields));
            all.add(bucket4jStarter(Limit.ADDRESS, fields));
        }
        all.add(resilience4j(Limit.RATE, Rated.class, Rated::new));
        all.add(resilience4j(Limit.CONCURRENCY, Few.class, Few::new));
        all.add(resilience4j(Limit.TWO, RatedAndFew.class, RatedAndFew::new));
        return all;
    }

    private static Contender filter(String product, Limit limit, boolean fields, Supplier<Filter> filter) {
        return new Contender(
                product,
                limit,
                fields,
                context -> {
                    context.registerBean(Work.class, Work.Plain::new);
                    context.registerBean("limits", FilterRegistrationBean.class, () -> Server.at(0, filter.get()));
                },
                Map.of());
    }

    private static Filter weir(Limit limit, boolean fields) {
        LimiterRegistry registry = LimiterRegistry.builder()
                .source(ResourceSource.of(Contenders.class, "limits.yaml"))
                .onEvent(event -> {})
                .build();
        Route route =
                switch (limit) {
                    case RATE -> Route.of("/**", "rate");
                    case CONCURRENCY -> Route.of("/**", "slots");
                    case ADDRESS -> Route.of("/**", "client");
                    case TWO -> Route.of("/**", "rate", "slots");
                };
        return new WeirFilter(
                Routes.builder(registry.names()).route(route).tellGranted(fields).build());
    }

    private static Bucket bucket() {
        return Bucket.builder()
                .addLimit(limit -> limit.capacity(PLENTY).refillGreedy(PLENTY, SECOND))
                .build();
    }

    private static Filter tenLines(Function<HttpServletRequest, Bucket> buckets, boolean fields) {
        return (request, response, chain) -> {
            HttpServletResponse answer = (HttpServletResponse) response;
            Bucket bucket = buckets.apply((HttpServletRequest) request);
            ConsumptionProbe probe = fields ? bucket.tryConsumeAndReturnRemaining(1) : null;
            if (probe == null ? bucket.tryConsume(1) : probe.isConsumed()) {
                if (probe != null) {
                    answer.setHeader("X-Rate-Limit-Remaining", Long.toString(probe.getRemainingTokens()));
                }
                chain.doFilter(request, response);
            } else {
                answer.setStatus(429);
            }
        };
    }

    private static Contender bucket4jStarter(Limit limit, boolean fields) {
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("bucket4j.enabled", "true");
        properties.put("bucket4j.filters[0].cache-name", "buckets");
        properties.put("bucket4j.filters[0].url", ".*");
        properties.put("bucket4j.filters[0].filter-order", "0");
        properties.put("bucket4j.filters[0].hide-http-response-headers", Boolean.toString(!fields));
        properties.put("bucket4j.filters[0].rate-limits[0].bandwidths[0].capacity", Long.toString(PLENTY));
        properties.put("bucket4j.filters[0].rate-limits[0].bandwidths[0].time", "1");
        properties.put("bucket4j.filters[0].rate-limits[0].bandwidths[0].unit", "seconds");
        if (limit == Limit.ADDRESS) {
            properties.put("bucket4j.filters[0].rate-limits[0].cache-key", "getRemoteAddr()");
        }
        return new Contender(
                "Bucket4j, its starter",
                limit,
                fields,
                context -> {
                    context.registerBean(Work.class, Work.Plain::new);
                    context.registerBean(CacheManager.class, Contenders::caches);
                },
                properties);
    }

    /* By reference: otherwise each request would copy its bucket. */
    private static CacheManager caches() {
        CacheManager caches = Caching.getCachingProvider(CaffeineCachingProvider.class.getName())
                .getCacheManager();
        if (caches.getCache("buckets") == null) {
            caches.createCache("buckets", new MutableConfiguration<Object, Object>().setStoreByValue(false));
        }
        return caches;
    }

    private static <T extends Work> Contender resilience4j(Limit limit, Class<T> type, Supplier<T> work) {
        Map<String, Object> properties = Map.of(
                "resilience4j.ratelimiter.instances.edge.limit-for-period", Long.toString(PLENTY),
                "resilience4j.ratelimiter.instances.edge.limit-refresh-period", "1s",
                "resilience4j.ratelimiter.instances.edge.timeout-duration", "0",
                "resilience4j.bulkhead.instances.edge.max-concurrent-calls", "64",
                "resilience4j.bulkhead.instances.edge.max-wait-duration", "0");
        return new Contender(
                "Resilience4j, its starter",
                limit,
                false,
                context -> context.registerBean(type, work),
                properties);
    }

    /** Under a rate. */
    static class Rated implements Work {
        @Override
        @RateLimiter(name = "edge")
        public String done() {
            return "ok";
        }
    }

    /** Under a number of requests at once. */
    static class Few implements Work {
        @Override
        @Bulkhead(name = "edge")
        public String done() {
            return "ok";
        }
    }

    /** Under both. */
    static class RatedAndFew implements Work {
        @Override
        @RateLimiter(name = "edge")
        @Bulkhead(name = "edge")
        public String done() {
            return "ok";
        }
    }
}
