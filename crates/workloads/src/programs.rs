//! The programs of the suite, one file each.

mod atax;
mod attention;
mod backprop;
mod barnes_hut;
mod bc;
mod bfs;
mod bfs_worklist;
mod bicg;
mod binomial;
mod btree;
mod cfd;
mod coloring;
mod conv2d;
mod conv_separable;
mod cutcp;
mod dijkstra_ell;
mod dwt2d;
mod ecology;
mod embedding_bag;
mod floyd_warshall;
mod fwt;
mod gaussian;
mod gemv_bf16;
mod heartwall;
mod histogram;
mod hotspot;
mod hybridsort;
mod kmeans;
mod lavamd;
mod lbm;
mod libor;
mod lonestar;
mod lud;
mod mars;
mod matmul;
mod mis;
mod mri_q;
mod mst;
mod mummer;
mod needleman_wunsch;
mod pagerank;
mod pageview_count;
mod pageview_rank;
mod particle_filter;
mod pathfinder;
mod reduction;
mod sad;
mod scalar_prod;
mod scan;
mod sgemm;
mod similarity_score;
mod spmv;
mod srad;
mod sssp;
mod stencil;
mod streamcluster;
mod tpacf;
mod transpose;
mod wordcount;

use crate::workload::Workload;

/// All workloads, by name.
pub static WORKLOADS: &[&Workload] = &[
    &atax::WORKLOAD,
    &attention::WORKLOAD,
    &backprop::WORKLOAD,
    &barnes_hut::WORKLOAD,
    &bc::WORKLOAD,
    &bfs::WORKLOAD,
    &bfs_worklist::WORKLOAD,
    &bicg::WORKLOAD,
    &binomial::WORKLOAD,
    &btree::WORKLOAD,
    &cfd::WORKLOAD,
    &coloring::WORKLOAD,
    &conv_separable::WORKLOAD,
    &conv2d::WORKLOAD,
    &cutcp::WORKLOAD,
    &dijkstra_ell::WORKLOAD,
    &dwt2d::WORKLOAD,
    &embedding_bag::WORKLOAD,
    &floyd_warshall::WORKLOAD,
    &fwt::WORKLOAD,
    &gaussian::WORKLOAD,
    &gemv_bf16::WORKLOAD,
    &heartwall::WORKLOAD,
    &histogram::WORKLOAD,
    &hotspot::WORKLOAD,
    &hybridsort::WORKLOAD,
    &kmeans::WORKLOAD,
    &lavamd::WORKLOAD,
    &lbm::WORKLOAD,
    &libor::WORKLOAD,
    &lud::WORKLOAD,
    &matmul::WORKLOAD,
    &mis::WORKLOAD,
    &mri_q::WORKLOAD,
    &mst::WORKLOAD,
    &mummer::WORKLOAD,
    &needleman_wunsch::WORKLOAD,
    &pagerank::WORKLOAD,
    &pageview_count::WORKLOAD,
    &pageview_rank::WORKLOAD,
    &particle_filter::WORKLOAD,
    &pathfinder::WORKLOAD,
    &reduction::WORKLOAD,
    &sad::WORKLOAD,
    &scalar_prod::WORKLOAD,
    &scan::WORKLOAD,
    &sgemm::WORKLOAD,
    &similarity_score::WORKLOAD,
    &spmv::WORKLOAD,
    &srad::WORKLOAD,
    &sssp::WORKLOAD,
    &stencil::WORKLOAD,
    &streamcluster::WORKLOAD,
    &tpacf::WORKLOAD,
    &transpose::WORKLOAD,
    &wordcount::WORKLOAD,
];
