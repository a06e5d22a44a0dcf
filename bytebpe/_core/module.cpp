// The face of the core to Python: conversions, and nothing else.
#include "module.hpp"

NB_MODULE(_native, m) {
    bytebpe::bind_ranks(m);
    bytebpe::bind_decoder(m);
    bytebpe::bind_encoder(m);
    bytebpe::bind_trainer(m);
    bytebpe::bind_counter(m);
    bytebpe::bind_growing(m);
    bytebpe::bind_sampler(m);
}
